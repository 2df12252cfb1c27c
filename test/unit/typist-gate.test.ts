import { expect, it } from 'vitest';
import { InputGate } from '../../src/actors/input-gate/input-gate.js';
import { Typist, type TypistOptions } from '../../src/actors/typist.js';
import { DomainError } from '../../src/contract/errors.js';
import { DEFAULT_INPUT } from '../../src/contract/input-gate.js';

const IDS = ['term_1', 'term_2', 'term_3'];

const noAudit = { begin: () => undefined, taken: () => undefined };

/** A typist of three terminals; `calls` holds the handles of each call to its host, in order. */
function rig(audit: TypistOptions['audit'] = noAudit) {
  const calls: number[][] = [];
  const records = new Map(IDS.map((id, index) => [id, { id, handle: index, exit: null, inFlight: 0 }]));
  const gate = new InputGate({
    settings: () => DEFAULT_INPUT,
    isRunning: () => true,
    isInFlight: (id) => (records.get(id)?.inFlight ?? 0) > 0,
    emit: () => {},
  });
  const host = {
    type: async (handle: number) => {
      calls.push([handle]);
      return false;
    },
    typeAll: async (handles: number[]) => {
      calls.push(handles);
      return { failures: new Map(), repeated: new Set() };
    },
  };
  const options = {
    registry: { running: (id: string) => records.get(id) },
    events: { emit: () => {} },
    host: async () => host,
    gate,
    audit,
  };
  return { typist: new Typist(options as unknown as TypistOptions), gate, calls };
}

const take = (gate: InputGate, id: string) =>
  gate.lease(
    id,
    { leaseId: `lease of ${id}`, ttlMs: 60_000, waitMs: 0, takeover: false },
    { who: () => ({ kind: 'agent', verified: false }), signal: new AbortController().signal },
  );

it('types into many in one call, and only where nobody else has the lease', async () => {
  const { typist, gate, calls } = rig();
  await take(gate, 'term_2');
  const faults = await typist.typeAll(IDS, [{ data: 'x' }], 'api');
  expect(faults).toEqual([undefined, expect.objectContaining({ code: 'locked' }), undefined]);
  expect(calls).toEqual([[0, 2]]);
});

it('types into all in one call for a person, and ends the leases', async () => {
  const { typist, gate, calls } = rig();
  await take(gate, 'term_2');
  expect(await typist.typeAll(IDS, [{ data: 'x' }], 'user')).toEqual([undefined, undefined, undefined]);
  expect(calls).toEqual([[0, 1, 2]]);
  expect(IDS.map((id) => gate.state(id))).toMatchObject(IDS.map(() => ({ holder: null, draft: true })));
});

it('types into those that the gate holds each by its own, with what the request asks for', async () => {
  const { typist, gate, calls } = rig();
  await typist.type('term_1', [{ data: 'half' }], 'user');
  const asked = { ask: { whenBusy: 'refuse' as const } };
  const faults = await typist.typeAll(IDS, [{ data: 'x' }], 'mcp', asked);
  expect(faults).toEqual([expect.objectContaining({ code: 'locked' }), undefined, undefined]);
  expect(calls.slice(1)).toEqual([[1], [2]]);
  expect(gate.state('term_1').queued).toBe(0);
});

it('types nothing where the audit log must have a line and cannot be written', async () => {
  const { typist, calls } = rig({
    ...noAudit,
    begin: ({ terminalId }) => {
      if (terminalId === 'term_2') throw new DomainError('audit-unavailable');
      return undefined;
    },
  });
  const unavailable = expect.objectContaining({ code: 'audit-unavailable' });
  expect(await typist.typeAll(IDS, [{ data: 'x' }], 'api')).toEqual([undefined, unavailable, undefined]);
  await expect(typist.type('term_2', [{ data: 'x' }], 'api')).rejects.toEqual(unavailable);
  expect(calls).toEqual([[0, 2]]);
});

it('holds an idle terminal for a run whose time is over, but has it wait for nobody', async () => {
  const { typist, gate } = rig();
  const signal = AbortSignal.abort(new Error('the time is over'));
  (await typist.enter('term_1', 'api', { signal })).release();
  await take(gate, 'term_2');
  const waiting = { signal, whenBusy: 'queue' as const };
  await expect(typist.enter('term_2', 'api', waiting)).rejects.toThrow('the time is over');
  expect(gate.state('term_2').queued).toBe(0);
});

it.each(['api', 'user'] as const)(
  'types nothing as %s where the writer may not type by then',
  async (origin) => {
    const { typist, calls } = rig();
    const refused = new DomainError('terminal-not-found');
    const ask = { refusal: (id: string) => (id === 'term_2' ? refused : undefined) };
    expect(await typist.typeAll(IDS, [{ data: 'x' }], origin, { ask })).toEqual([
      undefined,
      refused,
      undefined,
    ]);
    await expect(typist.type('term_2', [{ data: 'x' }], origin, { ask })).rejects.toBe(refused);
    expect(calls).toEqual([[0, 2]]);
  },
);
