import type { WireBody } from '#dist/gateway/errors.js';
import type { Api, RawRequest } from '../http.js';
import type { Neutral } from './neutral.js';

/** A failure as it was answered. */
export interface Provoked {
  /** Like `GET /api/runs/{runId}`. */
  operation: string;
  status: number;
  body: WireBody;
}

const JSON_BODY = { 'content-type': 'application/json' };
const UNKNOWN = 'term_unknown';

const post = (path: string, body: unknown, headers = {}): RawRequest => ({
  method: 'POST',
  path,
  headers: { ...JSON_BODY, ...headers },
  body: JSON.stringify(body),
});

const create = (headers: Record<string, string>, body: string | Buffer = '{}'): RawRequest => ({
  method: 'POST',
  path: '/api/terminals',
  headers: { ...JSON_BODY, ...headers },
  body,
});

/** Requests that fail in any state of the service, each with its operation. */
const FAILING: [operation: string, request: RawRequest][] = [
  ['GET /api/terminals/{id}', { path: `/api/terminals/${UNKNOWN}` }],
  ['GET /api/runs/{runId}', { path: '/api/runs/run_unknown' }],
  ['GET /api/profiles/{id}', { path: '/api/profiles/unknown' }],
  ['PUT /api/profiles/{id}', { ...post('/api/profiles/bash', { name: 'x', path: 'x' }), method: 'PUT' }],
  ['POST /api/terminals', post('/api/terminals', { paneId: 'pn-unknown' })],
  ['DELETE /api/canvas/edges/{id}', { method: 'DELETE', path: '/api/canvas/edges/cn-unknown' }],
  ['DELETE /api/canvas/groups/{id}', { method: 'DELETE', path: '/api/canvas/groups/gr-unknown' }],
  ['GET /api/processes/{id}/metrics', { path: `/api/processes/${UNKNOWN}/metrics` }],
  ['POST /api/fleet/screen', post('/api/fleet/screen', { terminalId: UNKNOWN, machineId: 'elsewhere' })],
  ['POST /api/fleet/execute', post('/api/fleet/execute', { command: 'ver', targetOS: 'windows' })],
  ['GET /api/fleet/grants', { path: '/api/fleet/grants' }],
  ['POST /api/fleet/join', post('/api/fleet/join', { code: 'nonsense' })],
  ['GET /api/recordings/{id}', { path: '/api/recordings/unknown' }],
  ['POST /api/recordings/stop/{id}', { method: 'POST', path: '/api/recordings/stop/unknown' }],
  ['POST /api/recordings/{id}/export', post('/api/recordings/unknown/export', { format: 'mp4' })],
  ['POST /api/terminals/{id}/execute', post(`/api/terminals/${UNKNOWN}/execute`, { prompt: '' })],
  [
    'POST /api/terminals/{id}/execute',
    post(`/api/terminals/${UNKNOWN}/execute`, { prompt: 'x', cliType: 'unknown' }),
  ],
  [
    'POST /api/terminals/{id}/execute',
    post(`/api/terminals/${UNKNOWN}/execute`, { prompt: 'x', cliType: 'custom' }),
  ],
  ['POST /api/terminals/{id}/keys', post(`/api/terminals/${UNKNOWN}/keys`, { keys: ['hyper'] })],
  ['POST /api/terminals/{id}/signal', post(`/api/terminals/${UNKNOWN}/signal`, { signal: '9' })],
  ['POST /api/terminals', post('/api/terminals', { cols: 0 })],
  [
    'PATCH /api/settings',
    { ...post('/api/settings', { network: { authToken: 'x'.repeat(32) } }), method: 'PATCH' },
  ],
  ['GET /api/terminals/{id}/prompts/{promptId}', { path: `/api/terminals/${UNKNOWN}/prompts/pr_unknown` }],
  ['GET /api/watches/{id}', { path: '/api/watches/wt_unknown' }],
  ['DELETE /api/tokens/{id}', { method: 'DELETE', path: '/api/tokens/tok_unknown' }],
  ['GET /api/webhooks/{id}', { path: '/api/webhooks/wh_unknown' }],
  ['POST /api/webhooks', post('/api/webhooks', { url: 'http://169.254.169.254/', types: ['run.finished'] })],
  ['GET /session', { path: '/session' }],
  ['GET /ws', { path: '/ws' }],
  ['GET /api/terminals', { path: '/api/terminals', headers: { 'x-auto-terminal-instance': UNKNOWN } }],
  ['GET /api/terminals', { path: '/api/terminals', headers: { host: 'evil.example' } }],
  ['GET /api/terminals', { path: '/api/terminals', headers: { origin: 'https://evil.example' } }],
  ['GET /api/terminals', { path: '/api/terminals', headers: { x: 'x'.repeat(20_000) } }],
  ['POST /api/terminals', create({ 'content-type': 'text/plain' })],
  ['POST /api/terminals', create({ 'content-type': 'application/xml' })],
  ['POST /api/terminals', create({ 'content-type': 'application/json; charset=latin1' })],
  ['POST /api/terminals', create({ 'content-encoding': 'gzip' })],
  ['POST /api/terminals', create({}, '{')],
  ['POST /api/terminals', create({}, Buffer.from([0xff]))],
  ['POST /api/terminals', create({}, JSON.stringify({ name: 'x'.repeat(9 * 1024 * 1024) }))],
];

/** Makes the service of a running tour answer failures; `terminal` has a program that never reads. */
export async function provokeFailures(api: Api, terminal: string, neutral: Neutral): Promise<Provoked[]> {
  const provoked: Provoked[] = [];
  async function ask(operation: string, request: RawRequest): Promise<void> {
    const { status, body } = await api.raw(request);
    if (status < 400) throw new Error(`${operation} answered ${status}: ${body}`);
    provoked.push({ operation, status, body: neutral.show(`${operation} ${status}`, JSON.parse(body)) });
  }
  for (const [operation, request] of FAILING) await ask(operation, request);
  const at = `/api/terminals/${terminal}`;
  await ask('GET /api/terminals/{id}/commands/{commandId}/output', {
    path: `${at}/commands/cmd_unknown/output`,
  });
  await ask('DELETE /api/terminals/{id}/clients/{clientId}', {
    method: 'DELETE',
    path: `${at}/clients/client_unknown`,
  });
  const long = await api.post<{ id: string }>('/api/terminals', { command: ['seq', '100000'] });
  const stream = `/api/terminals/${long.body.id}/stream`;
  // The stream ends with the program.
  await api.raw({ path: stream });
  await ask('GET /api/terminals/{id}/stream', { path: `${stream}?from=start` });
  const shell = await api.post<{ id: string }>('/api/terminals', { command: ['/bin/sh'] });
  // While the shell starts, the shell itself is the foreground job.
  await api.post(`/api/terminals/${shell.body.id}/wait`, { until: 'prompt' });
  await ask(
    'POST /api/terminals/{id}/signal',
    post(`/api/terminals/${shell.body.id}/signal`, { signal: 'TERM' }),
  );
  await ask('GET /api/terminals/{id}/output', { path: `${at}/output?since=nonsense` });
  const input = 'POST /api/terminals/{id}/input';
  await ask(input, post(`${at}/input`, { data: 'x', ifAgent: ['idle'] }));
  await ask(input, post(`${at}/input`, { data: 'x', lease: 'lease_unknown' }));
  const { body: lease } = await api.post<{ leaseId: string }>(`${at}/lease`, { reason: 'a long prompt' });
  await ask(input, post(`${at}/input`, { data: 'x' }));
  await api.delete(`${at}/lease?leaseId=${lease.leaseId}`);
  const start = post('/api/recordings/start', { terminal_id: terminal });
  await api.raw(start);
  await ask('POST /api/recordings/start', start);
  const key = { 'idempotency-key': 'used' };
  await api.raw(post(`${at}/input`, { data: 'one' }, key));
  await ask('POST /api/terminals/{id}/input', post(`${at}/input`, { data: 'another' }, key));
  await ask('POST /api/terminals/{id}/input', post(`${at}/input`, { data: 'x'.repeat(1_100_000) }));
  await api.patch('/api/settings', { limits: { maxTerminals: 1 } });
  await ask('POST /api/terminals', post('/api/terminals', {}));
  await api.patch('/api/settings', { limits: null });
  return provoked;
}

/** Exposes the service, after which `api` no longer works, and sends a request without a token. */
export async function provokeUnauthorized(api: Api): Promise<Provoked> {
  await api.patch('/api/settings', { network: { expose: true } });
  const { status, body } = await api.raw({ path: '/api/terminals' });
  return { operation: 'GET /api/terminals', status, body: JSON.parse(body) };
}
