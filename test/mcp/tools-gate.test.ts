import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { LeaseState } from '#dist/contract/input-gate.js';
import type { HeldLimits } from '#dist/contract/terminal-limits.js';
import { type Watcher, watch } from '../support/http.js';
import { useTools } from '../support/mcp-tools.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';
import { ask } from '../support/ws-ask.js';

const used = useSharedService();
const { call, failure } = useTools(() => ({ apiUrl: used.service.url }));

interface Executed {
  results: { success: boolean; code?: string; holder?: object; draft?: boolean; retryAfterMs?: number }[];
}

let person: Watcher;
beforeAll(async () => {
  person = await watch(used.service.url, 'origin=user&output=0');
});
afterAll(() => person?.close());

let terminalId: string;
beforeEach(async () => {
  terminalId = await openTerminal(used.api, ['bash', '--norc']);
});

const lease = async () => {
  const { body } = await used.api.post<{ leaseId: string }>(`/api/terminals/${terminalId}/lease`, {
    ttlMs: 600_000,
  });
  return body.leaseId;
};

describe('execute_command', () => {
  it('fails under the lease of another program, with who has it and when to try again', async () => {
    await lease();
    for (const wait of [false, true]) {
      const text = await failure('execute_command', { command: 'true', terminalId, wait });
      expect(text).toMatch(/busy.*In the way: a program.*try in \d+ s.*whenBusy "queue"/);
    }
    const { structured, text } = await call<Executed>('execute_command', {
      ...{ command: 'true', terminalId: [terminalId] },
    });
    expect(structured.results).toMatchObject([
      { success: false, code: 'locked', holder: { kind: 'service' }, draft: false },
    ]);
    expect(structured.results[0]!.retryAfterMs).toBeGreaterThan(500_000);
    expect(text).toContain('In the way: a program');
  });

  it('types under a lease that it is given, and says when that has ended', async () => {
    const own = { command: 'echo under', terminalId, wait: true, lease: await lease() };
    const { structured } = await call<{ results: object[] }>('execute_command', own);
    expect(structured.results).toMatchObject([{ success: true, exitCode: 0, raw: 'under\n' }]);
    await used.api.delete(`/api/terminals/${terminalId}/lease?leaseId=${own.lease}`);
    expect(await failure('execute_command', own)).toContain('The lease has ended');
    expect(await failure('execute_command', { ...own, wait: false })).toContain('The lease has ended');
  });

  it('names the terminal that its caller runs in to whoever asks who waits or is in the way', async () => {
    const held = await lease();
    const caller = await openTerminal(used.api, ['bash', '--norc']);
    const wish = { command: 'true', terminalId, whenBusy: 'queue', queueMs: 600_000 };
    const waiting = [false, true].map((wait) => call<Executed>('execute_command', { ...wish, wait }, caller));
    const state = async () => (await used.api.get<LeaseState>(`/api/terminals/${terminalId}/lease`)).body;
    await eventually('both wait', async () => (await state()).queued === 2);
    const own = { kind: 'mcp', terminalId: caller, name: expect.any(String), verified: false };
    expect((await state()).queue.map(({ who }) => who)).toEqual([own, own]);
    await used.api.delete(`/api/terminals/${terminalId}/lease?leaseId=${held}`);
    await Promise.all(waiting);
  });

  it('keeps off the half-typed line of a person if it is asked to, and a terminal without an agent', async () => {
    const payload = { action: 'terminal:input', terminalId, data: 'git pu' };
    await ask(person, { id: 'm1', type: 'command', payload });
    const refused = { command: 'x', terminalId, whenBusy: 'refuse' };
    expect(await failure('execute_command', refused)).toContain(
      'In the way: a person; a person has a half-typed line',
    );
    const late = { ...refused, whenBusy: 'queue', queueMs: 1 };
    expect(await failure('execute_command', late)).toContain('half-typed line');
    const idle = { command: 'x', terminalId, ifAgent: ['idle'] };
    expect(await failure('execute_command', idle)).toContain('omit ifAgent');
    expect(await failure('execute_command', { ...idle, ifAgent: ['bored'] })).toContain('ifAgent');
  });
});

it('create_terminal limits a terminal, and says what holds', async () => {
  const { structured } = await call<{ limits: HeldLimits }>('create_terminal', { limits: { cpuWeight: 50 } });
  expect(structured.limits).toMatchObject({ pids: null, memoryBytes: null });
  expect(await failure('create_terminal', { limits: { pids: 'many' } })).toContain('limits[pids]');
});
