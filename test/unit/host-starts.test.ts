import { describe, expect, test } from 'vitest';
import type { SpawnRequest } from '#dist/contract/host-protocol.js';
import { hrMs } from '#dist/workers/clock.js';
import { HostStarts } from '#dist/workers/pty-host/host-starts.js';
import type { HostedTerminal } from '#dist/workers/pty-host/hosted-terminal.js';
import type { Made } from '#dist/workers/pty-host/terminal-maker.js';
import type { Peer } from '#dist/workers/pty-host/wire/peer.js';
import type { Reply } from '#dist/workers/pty-host/wire/reply-capture.js';

const SPAWN = { id: 'a' } as SpawnRequest;
const TERMINAL = { record: { held: {} }, id: 'a', handle: 1, pid: 10, meta: 'first' } as HostedTerminal;
const VALUE = { handle: 1, pid: 10 };

/** Starts that end when the test ends them. */
function rig() {
  const [first, next] = [{} as Peer, {} as Peer];
  const begun: { isWanted: () => boolean; done: (made: Made) => void }[] = [];
  const terminals: HostedTerminal[] = [];
  const state = { service: first as Peer | null };
  const starts = new HostStarts({
    maker: { make: (_spawn, isWanted, done) => void begun.push({ isWanted, done }) },
    find: (id) => terminals.find((terminal) => terminal.id === id),
    add: (terminal) => void terminals.push(terminal),
    close: (terminal) => void terminals.splice(terminals.indexOf(terminal), 1),
    service: () => state.service,
  });
  const ask = (peer: Peer, leftMs = 10_000) => {
    const answers: Reply[] = [];
    starts.start({ peer, deadline: hrMs() + leftMs, reply: (answer) => void answers.push(answer) }, SPAWN);
    return answers;
  };
  return { first, next, begun, terminals, state, ask };
}

describe('requests for one terminal', () => {
  test('start one program, and each gets its terminal', () => {
    const { first, begun, ask, terminals } = rig();
    const answers = [ask(first), ask(first)];
    expect(begun).toHaveLength(1);
    begun[0]!.done({ terminal: TERMINAL });
    const known = { value: { ...VALUE, meta: 'first' } };
    expect(answers).toEqual([[{ value: VALUE }], [known]]);
    expect(ask(first)).toEqual([known]);
    expect(terminals).toEqual([TERMINAL]);
  });

  test('all get the fault, and the next request starts again', () => {
    const { first, begun, ask } = rig();
    const answers = [ask(first), ask(first)];
    const fault = { code: 'spawn-failed', message: 'no' } as const;
    begun[0]!.done({ fault });
    expect(answers).toEqual([[{ error: fault }], [{ error: fault }]]);
    ask(first);
    expect(begun).toHaveLength(2);
  });

  test('after the deadline start nothing, unless another still waits', () => {
    const { first, begun, ask } = rig();
    expect(ask(first, -1)).toEqual([{ error: expect.objectContaining({ code: 'unavailable' }) }]);
    expect(begun).toEqual([]);
    ask(first, 200);
    while (begun[0]!.isWanted());
    ask(first);
    expect(begun[0]!.isWanted()).toBe(true);
  });
});

describe('a program that starts after its service has gone', () => {
  test('is kept while no service is there, since the next one lists it', () => {
    const { first, begun, ask, terminals, state } = rig();
    ask(first);
    state.service = null;
    expect(begun[0]!.isWanted()).toBe(false);
    begun[0]!.done({ terminal: TERMINAL });
    expect(terminals).toEqual([TERMINAL]);
  });

  test('is ended if the next service has listed the terminals, and does not ask for it', () => {
    const { first, next, begun, ask, terminals, state } = rig();
    ask(first);
    state.service = next;
    begun[0]!.done({ terminal: TERMINAL });
    expect(terminals).toEqual([]);
  });

  test('is given to the next service if that asks for it', () => {
    const { first, next, begun, ask, terminals, state } = rig();
    ask(first);
    state.service = next;
    const answers = ask(next);
    begun[0]!.done({ terminal: TERMINAL });
    expect(answers).toEqual([{ value: { ...VALUE, meta: 'first' } }]);
    expect(terminals).toEqual([TERMINAL]);
  });
});
