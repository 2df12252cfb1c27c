import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { lineageOf, terminalIn } from '#dist/actors/processes/lineage.js';
import { LinuxProcesses } from '#dist/actors/processes/linux.js';
import { Starting } from '#dist/actors/starting.js';
import type { RunningTerminal } from '#dist/actors/terminal-record.js';
import { Callers } from '#dist/gateway/callers.js';
import { type FakeProcess, fakeProc } from '../support/fake-proc.js';

const SHELL = 100;
const PEER = 130;
const WRAPPER = 200;
const IN_TMUX = 210;

/** A service, a terminal of its own and a terminal in tmux; the peer is a grandchild of the first terminal's shell. */
const MACHINE: FakeProcess[] = [
  { pid: 1, parent: 0, startedAt: 1 },
  { pid: 50, parent: 1, startedAt: 5 },
  { pid: SHELL, parent: 50, startedAt: 10 },
  { pid: 120, parent: SHELL, session: SHELL, startedAt: 20 },
  { pid: PEER, parent: 120, session: SHELL, startedAt: 30 },
  { pid: WRAPPER, parent: 1, startedAt: 10 },
  { pid: IN_TMUX, parent: WRAPPER, session: WRAPPER, startedAt: 11 },
];
const TERMINALS = [
  { id: 'term_pty', pid: SHELL, backend: 'pty' as const },
  { id: 'term_tmux', pid: IN_TMUX, backend: 'tmux' as const },
];

/** Returns the machine with some processes added, or with other values. */
function machineWith(...changed: FakeProcess[]): FakeProcess[] {
  const others = MACHINE.filter(({ pid }) => !changed.some((each) => each.pid === pid));
  return [...others, ...changed];
}

function identifyOn(machine: readonly FakeProcess[], self?: string) {
  const table = new LinuxProcesses(fakeProc(machine, self));
  return (pid: number) => table.identify(pid);
}

/**
 * Returns the terminal of process `pid`: its lineage is read on the machine `now`, the terminals on the machine
 * `later`.
 */
function found(pid: number, now: readonly FakeProcess[], later = now): string | null {
  return terminalIn(lineageOf(pid, identifyOn(now)), TERMINALS, identifyOn(later));
}

describe('a process is in the terminal', () => {
  test('from whose program it descends', () => {
    expect(found(PEER, MACHINE)).toBe('term_pty');
    expect(found(SHELL, MACHINE)).toBe('term_pty');
  });

  test('from whose program it descends, over sessions of its own', () => {
    const inner = [
      { pid: 300, parent: PEER, startedAt: 40 },
      { pid: 310, parent: 300, startedAt: 50 },
    ];
    expect(found(310, machineWith(...inner))).toBe('term_pty');
  });

  test.each([
    [SHELL, 'term_pty'],
    [WRAPPER, 'term_tmux'],
  ])('whose session %i it is in, after its parents have ended', (session, terminal) => {
    expect(found(300, machineWith({ pid: 300, parent: 1, session, startedAt: 40 }))).toBe(terminal);
  });

  test('of the program in tmux, whose session a wrapper leads', () => {
    const child = { pid: 300, parent: IN_TMUX, session: WRAPPER, startedAt: 40 };
    expect(found(300, machineWith(child))).toBe('term_tmux');
  });

  test('that is the nearest, where one was started from another', () => {
    const inner = { pid: 300, parent: PEER, startedAt: 40 };
    const terminals = [...TERMINALS, { id: 'term_inner', pid: 300, backend: 'pty' as const }];
    const identify = identifyOn(machineWith(inner));
    expect(terminalIn(lineageOf(300, identify), terminals, identify)).toBe('term_inner');
  });
});

describe('a process is in no terminal', () => {
  test.each<[string, number, FakeProcess[]]>([
    ['that has ended', 999, MACHINE],
    ['that is no part of one', 50, MACHINE],
    ['with a session of its own whose parents have ended', 300, machineWith({ pid: 300, startedAt: 40 })],
    [
      'whose parent has ended, and whose pid a terminal has now',
      300,
      machineWith({ pid: 300, parent: 140, startedAt: 40 }, { pid: 140, parent: SHELL, startedAt: 41 }),
    ],
  ])('%s', (_case, pid, machine) => {
    expect(found(pid, machine)).toBeNull();
  });

  test('whose ancestor had the pid that a later terminal has', () => {
    const later = machineWith({ pid: SHELL, parent: 50, startedAt: 99 });
    expect(found(PEER, MACHINE, later)).toBeNull();
  });

  test('that a /proc of another container shows', () => {
    expect(lineageOf(PEER, identifyOn(MACHINE, '1'))).toEqual([]);
  });

  test('on a table that goes round in a circle', () => {
    const circle = [
      { pid: 300, parent: 301, startedAt: 40 },
      { pid: 301, parent: 300, startedAt: 40 },
    ];
    expect(found(300, machineWith(...circle))).toBeNull();
  });
});

/** Callers whose only peer is `pid`, and a request of this peer. */
function met({ pid = PEER as number | null, isGone = false, fault = null as Error | null } = {}) {
  const running = TERMINALS.map((terminal) => terminal as RunningTerminal);
  const starting = new Starting();
  const faults: unknown[] = [];
  const looks: string[] = [];
  const callers = new Callers({
    table: { identify: identifyOn(MACHINE) },
    terminals: { running: () => running, starting },
    peers: {
      credentials: () => {
        if (fault) throw fault;
        looks.push('credentials');
        return { pid, uid: 7, gid: 8 };
      },
      isGone: () => {
        looks.push('gone');
        return isGone;
      },
    },
    onFault: (error) => faults.push(error),
  });
  const socket = { _handle: { fd: 9 } } as unknown as Socket;
  const credentials = callers.meet(socket);
  const ask = (headers: Record<string, string> = {}) => callers.of({ socket, headers });
  return { callers, credentials, ask, running, starting, faults, looks };
}

const NOBODY = { terminalId: null, pid: null, verified: false, via: 'none' };

test('a key from a client that names no terminal costs the same beside any number of terminals', () => {
  const callers = new Callers({
    table: { identify: identifyOn(MACHINE) },
    terminals: {
      running: () => {
        throw new Error('all terminals were looked at');
      },
      starting: new Starting(),
    },
    peers: undefined,
    onFault: (error) => {
      throw error;
    },
  });
  expect(callers.now({ socket: new Socket(), headers: {} })).toEqual(NOBODY);
});

describe('a request', () => {
  test('comes from the terminal of its peer, which is looked up once', async () => {
    const { ask, credentials, looks } = met();
    expect(credentials).toEqual({ pid: PEER, uid: 7, gid: 8 });
    expect(await ask()).toEqual({ terminalId: 'term_pty', pid: PEER, verified: true, via: 'socket' });
    await ask();
    expect(looks).toEqual(['credentials', 'gone']);
  });

  test.each([
    ['the same', 'term_pty', { terminalId: 'term_pty', verified: true, via: 'header' }],
    ['another', 'term_tmux', { terminalId: 'term_tmux', verified: false, via: 'header' }],
    ['none that runs', 'term_unknown', { terminalId: 'term_pty', verified: true, via: 'socket' }],
    ['nothing', '', { terminalId: 'term_pty', verified: true, via: 'socket' }],
  ])('whose header names %s', async (_case, id, expected) => {
    expect(await met().ask({ 'x-service-terminal-id': id })).toEqual({ pid: PEER, ...expected });
  });

  test.each([
    ['is gone when it is met', { isGone: true }],
    ['has ended before it is met', { pid: 999 }],
    ['is of another container', { pid: null }],
  ])('comes from an unknown process if the peer %s', async (_case, peer) => {
    expect(await met(peer).ask()).toEqual(NOBODY);
  });

  test('comes from an unknown process if the system does not answer, which is reported', async () => {
    const fault = new Error('EINVAL');
    const { ask, credentials, faults } = met({ fault });
    expect([credentials, await ask(), faults]).toEqual([undefined, NOBODY, [fault]]);
  });

  test('over the network comes from no process, and its header is a claim', async () => {
    const { callers } = met();
    const socket = {} as Socket;
    expect(callers.meet(socket)).toBeUndefined();
    expect(await callers.of({ socket, headers: {} })).toEqual(NOBODY);
    const headers = { 'x-service-terminal-id': 'term_pty' };
    expect(await callers.of({ socket, headers })).toEqual({
      ...NOBODY,
      terminalId: 'term_pty',
      via: 'header',
    });
  });

  test('of a program whose start is not reported yet waits for the report', async () => {
    const { ask, running, starting } = met();
    const listed = running.splice(0);
    let report = () => {};
    const started = new Promise<void>((resolve) => {
      report = resolve;
    });
    void starting.during(started).then(() => running.push(...listed));
    const answer = ask();
    report();
    expect(await answer).toMatchObject({ terminalId: 'term_pty', via: 'socket' });
    running.length = 0;
    const failing = starting.during(Promise.reject(new Error('no such program')));
    const [none] = await Promise.all([ask(), expect(failing).rejects.toThrow('no such program')]);
    expect(none).toMatchObject({ terminalId: null, pid: PEER });
  });
});
