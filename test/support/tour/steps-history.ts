import { eventually } from '../processes.js';
import { Receiver } from '../receiver.js';
import { found } from '../search.js';
import { settle } from './steps.js';
import type { Tour } from './tour.js';

/** Makes a recording, exports it, and deletes it. */
export async function record(tour: Tour, tests: string): Promise<void> {
  const options = {
    include_output: true,
    include_input: true,
    include_resize: true,
    compression: 'none',
    auto_stop: false,
  };
  const { recordingId: id } = await tour.call<{ recordingId: string }>('POST /api/recordings/start', {
    body: { terminal_id: tests, options },
  });
  await tour.call('GET /api/recordings/active');
  await tour.call('GET /api/recordings/status/{terminalId}', { path: { terminalId: tests } });
  await tour.api.post(`/api/terminals/${tests}/execute`, { prompt: './test.sh', cliType: 'default' });
  await settle(tour, tests);
  await tour.api.post(`/api/terminals/${tests}/size`, { cols: 100, rows: 30 });
  const path = { id };
  await tour.call('POST /api/recordings/stop/{id}', { path });
  await tour.call('GET /api/recordings');
  await tour.call('GET /api/recordings/{id}', { path });
  await tour.call('GET /api/recordings/{id}/info', { path });
  for (const format of ['text', 'json', 'html'])
    await tour.call('POST /api/recordings/{id}/export', { path, body: { format } });
  await tour.call('DELETE /api/recordings/{id}', { path });
}

/** Shows the audit of a client's change. The log is on only for this change. */
export async function readAudit(tour: Tour, tests: string): Promise<void> {
  await tour.api.patch('/api/settings', { audit: { enabled: true } });
  await tour.api.patch(`/api/terminals/${tests}`, { labels: { role: 'test' } });
  await tour.call('GET /api/audit', { query: { terminal: tests } });
  await tour.call('GET /api/fleet/audit');
  await tour.call('GET /api/audit/verify');
  await tour.api.patch('/api/settings', { audit: null });
}

/** Searches the text of output. */
export async function searchText(tour: Tour): Promise<void> {
  const body = { query: '12 tests passed', filters: { type: 'output' }, selector: 'role=test', limit: 2 };
  await found(tour.api, body);
  await tour.call('POST /api/search', { body });
  await tour.call('GET /api/search/suggestions', { query: { q: 'pass' } });
  await tour.call('DELETE /api/search/index');
}

/** Registers a program that is notified of events, and removes it. */
export async function postEvents(tour: Tour): Promise<void> {
  const receiver = await Receiver.open();
  const body = { url: `${receiver.url}/events`, types: ['agent.status', 'run.*'], name: 'notifier' };
  const { id } = await tour.call<{ id: string }>('POST /api/webhooks', { body });
  const path = { id };
  await tour.call('POST /api/webhooks/{id}/test', { path });
  await tour.call('GET /api/webhooks/{id}/deliveries', { path });
  await tour.call('GET /api/webhooks');
  await tour.call('GET /api/webhooks/{id}', { path });
  await tour.call('PATCH /api/webhooks/{id}', { path, body: { selector: 'role=test' } });
  await tour.call('DELETE /api/webhooks/{id}', { path });
  await receiver.close();
}

/** Makes a watch of output, lets it match, and deletes it. */
export async function watchOutput(tour: Tour, tests: string): Promise<void> {
  const body = { text: 'tests passed', selector: 'role=test', name: 'green', maxPerMinute: 2 };
  const { id } = await tour.call<{ id: string }>('POST /api/watches', { body });
  const path = { id };
  await tour.api.post(`/api/terminals/${tests}/execute`, { prompt: './test.sh', cliType: 'default' });
  await settle(tour, tests);
  await eventually('the watch has matched', async () => {
    return (await tour.api.get<{ matches: number }>(`/api/watches/${id}`)).body.matches > 0;
  });
  await tour.call('GET /api/watches');
  await tour.call('GET /api/watches/{id}', { path });
  await tour.call('DELETE /api/watches/{id}', { path });
}

/** Reads the metrics, and closes everything. */
export async function close(tour: Tour, tests: string, server: string, profile: string): Promise<void> {
  await tour.call('GET /metrics');
  await tour.call('GET /api/fleet/terminals');
  await tour.call('POST /api/fleet/close', { body: { terminalId: server, machineId: 'self' } });
  await tour.call('DELETE /api/terminals/{id}', { path: { id: tests } });
  await tour.call('DELETE /api/profiles/{id}', { path: { id: profile } });
}

/** Makes a token for the agents of one team, rotates it, and deletes it. */
export async function makeTokens(tour: Tour): Promise<void> {
  const body = { name: 'agents of team a', verbs: ['read', 'run'], selector: 'team=a', maxTerminals: 10 };
  const { id } = await tour.call<{ id: string }>('POST /api/tokens', { body });
  await tour.call('GET /api/tokens');
  await tour.call('GET /api/tokens/self');
  await tour.call('POST /api/tokens/{id}/rotate', { path: { id }, body: { overlapMs: 60_000 } });
  await tour.call('DELETE /api/tokens/{id}', { path: { id } });
}
