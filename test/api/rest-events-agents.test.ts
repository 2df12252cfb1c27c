import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { TerminalView } from '#dist/contract/terminal-view.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { EventStream } from '../support/event-client.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { createApi } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let agents: FakeAgents;
beforeAll(async () => {
  agents = await fakeAgents();
  service = await startService({ env: { SHELL: '/bin/bash' } });
});
afterAll(async () => {
  await service?.stop();
  await agents?.remove();
});

const open = (lastEventId?: string) =>
  EventStream.open(service.url, { query: 'types=agent.status', lastEventId });

/** Resolves once the stream's last event reports this agent and status. */
const untilStatus = (stream: EventStream, agent: string | null, agentStatus: string | null) =>
  stream.until(() => {
    const { agent: told, agentStatus: status } = stream.of('agent.status').at(-1)?.data.data ?? {};
    return told === agent && status === agentStatus;
  });

const press = (id: string, data: string) =>
  createApi(service.url).post(`/api/terminals/${id}/input`, { data });

describe('agent.status in the stream of events', () => {
  it('comes on change, and after a cut or a kill of the service says what has changed meanwhile', async () => {
    const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
    const begin = await open();
    const { body } = await createApi(service.url).post<Terminal>('/api/terminals', {
      command: ['bash', '--norc'],
    });
    await press(body.id, `${path}\r`);
    await untilStatus(begin, 'claude', 'idle');
    await press(body.id, 'w');
    await untilStatus(begin, 'claude', 'working');
    await begin.cut();
    // No stream follows agents now.
    await press(body.id, 'p');
    const resumed = await open(begin.lastEventId);
    await untilStatus(resumed, 'claude', 'waiting');
    await resumed.cut();
    await service.kill('SIGKILL');
    service = await startService({ home: service.home, env: { SHELL: '/bin/bash' } });
    await press(body.id, 'q');
    const last = await open(resumed.lastEventId);
    await untilStatus(last, null, null);
    expect(last.of('resync')).toEqual([]);
    await last.cut();
  });

  it('says since when, and so does the list, also for a client that comes back at once', async () => {
    const path = await agents.script('bin/claude', drawnAgent(CLAUDE));
    const stream = await open();
    const api = createApi(service.url);
    const command = ['bash', '--norc'];
    const { body } = await api.post<Terminal>('/api/terminals', { command });
    await press(body.id, `${path}\r`);
    await untilStatus(stream, 'claude', 'idle');
    const before = Date.now();
    await press(body.id, 'w');
    await untilStatus(stream, 'claude', 'working');
    const { agentSince } = stream.of('agent.status').at(-1)!.data.data as { agentSince: number };
    expect(agentSince).toBeGreaterThanOrEqual(before);
    expect(agentSince).toBeLessThanOrEqual(Date.now());
    const listed = async () => {
      const { body: list } = await api.get<{ terminals: TerminalView[] }>('/api/terminals?view=full');
      return list.terminals.find(({ id }) => id === body.id)?.agentSince;
    };
    expect(await listed()).toBe(agentSince);
    await stream.cut();
    const again = await open(stream.lastEventId);
    expect(await listed()).toBe(agentSince);
    await again.cut();
  });
});
