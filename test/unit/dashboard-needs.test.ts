import { describe, expect, it } from 'vitest';
import type { FleetTerminal } from '../../dashboard/src/fleet/after-event.js';
import { afterEvent } from '../../dashboard/src/fleet/after-event.js';
import { type Facts, factsAfter, NO_FACTS } from '../../dashboard/src/needs/facts.js';
import {
  ANSWER_HOLDS_MS,
  type Marks,
  NO_MARKS,
  needsOf,
  prunedMarks,
  queueOf,
  withAnswer,
  withDone,
  withoutDone,
  withSnooze,
} from '../../dashboard/src/needs/needs.js';
import { KEY_BUTTONS, sendingOf } from '../../dashboard/src/needs/sending.js';
import { nextAfter, shownOf } from '../../dashboard/src/needs/shown.js';
import { command, fleetOf, idsOf, terminal, waiting } from '../support/needs-fleet.js';
import { Random } from '../support/random.js';

function needsIn(terminals: ReadonlyMap<string, FleetTerminal>, before: Facts = NO_FACTS) {
  return needsOf(terminals.values(), factsAfter(before, terminals, undefined));
}

describe('what needs somebody', () => {
  it('is what waits, failed or exited badly, the oldest first', () => {
    const needs = needsIn(
      fleetOf(
        terminal('ok', { command: command('c1', 0) }),
        terminal('failed', { command: command('c2', 2, 300) }),
        waiting('waits', 200),
        terminal('bad', { status: 'exited', exitCode: 1, exitedAt: 100 }),
        terminal('killed', { status: 'exited', signal: 'SIGKILL', exitedAt: 250 }),
        terminal('unknown', { status: 'exited', exitedAt: 350 }),
        terminal('well', { status: 'exited', exitCode: 0, exitedAt: 50 }),
        terminal('busy', { command: command('c3', null, null) }),
        terminal('untold', { command: command('c4', null) }),
        terminal('works', { agent: 'claude', agentStatus: 'working', agentSince: 10 }),
      ),
    );
    expect(needs.map(({ terminalId, kind }) => `${terminalId} ${kind}`)).toEqual([
      'bad exited',
      'waits waiting',
      'killed exited',
      'failed failed',
      'unknown exited',
    ]);
  });

  it('has a key for each occurrence', () => {
    const keyIn = (each: FleetTerminal) => needsIn(fleetOf(each))[0]?.key;
    expect(keyIn(waiting('t', 5))).not.toBe(keyIn(waiting('t', 6)));
    expect(keyIn(terminal('t', { command: command('c1', 1) }))).not.toBe(
      keyIn(terminal('t', { command: command('c2', 1) })),
    );
    expect(keyIn(waiting('t', 5, { agentStatusReason: 'another' }))).toBe(keyIn(waiting('t', 5)));
  });

  it('keeps a failure until a later command succeeds', () => {
    const failed = fleetOf(terminal('t', { command: command('c1', 1) }));
    const facts = factsAfter(NO_FACTS, failed, undefined);
    const key = needsIn(failed)[0]?.key;
    for (const later of [command('c2', null, null), command('c2', null)]) {
      const running = fleetOf(terminal('t', { command: later }));
      expect(needsIn(running, facts).map((need) => need.key)).toEqual([key]);
    }
    expect(needsIn(fleetOf(terminal('t', { command: command('c2', 0) })), facts)).toEqual([]);
    expect(needsIn(fleetOf(terminal('t', { command: command('c2', 1) })), facts)[0]?.key).not.toBe(key);
  });

  it('knows a wait again in another page, unless somebody has typed since', () => {
    const live = factsAfter(NO_FACTS, fleetOf(waiting('t', 500, { lastInputAt: 400 })), undefined);
    const [need] = needsIn(fleetOf(waiting('t', null, { lastInputAt: 400 })), live);
    expect(need).toMatchObject({ since: 500, isGuess: false });
    const [next] = needsIn(fleetOf(waiting('t', null, { lastInputAt: 600 })), live);
    expect(next).toMatchObject({ since: 600, isGuess: true });
  });

  it('keeps a wait that the page sees go on, whoever types', () => {
    const first = fleetOf(waiting('t', null, { lastInputAt: 400 }));
    const facts = factsAfter(NO_FACTS, first, undefined);
    const typed = fleetOf(waiting('t', null, { lastInputAt: 900 }));
    const later = factsAfter(facts, typed, first);
    expect(needsOf(typed.values(), later)[0]?.key).toBe(needsOf(first.values(), facts)[0]?.key);
    // Another wait, whose events came together.
    const again = fleetOf(waiting('t', 950));
    expect(needsOf(again.values(), factsAfter(later, again, typed))[0]?.since).toBe(950);
  });

  it('takes it for another wait if somebody has typed while no events came', () => {
    const first = fleetOf(waiting('t', 500, { lastInputAt: 400 }));
    const facts = factsAfter(NO_FACTS, first, undefined);
    const listed = fleetOf(waiting('t', 500, { lastInputAt: 700 }));
    const after = factsAfter(facts, listed, undefined);
    expect(needsOf(listed.values(), after)[0]).toMatchObject({ since: 700, isGuess: true });
    expect(factsAfter(after, listed, listed)).toBe(after);
  });

  it('returns the same facts if nothing has changed', () => {
    const fleet = fleetOf(waiting('t', 1), terminal('u', { command: command('c', 1) }));
    const facts = factsAfter(NO_FACTS, fleet, undefined);
    expect(factsAfter(facts, fleet, fleet)).toBe(facts);
  });
});

describe('the queue', () => {
  const needs = needsIn(fleetOf(waiting('a', 1), waiting('b', 2), waiting('c', 3)));
  const [a, b] = needs.map(({ key }) => key) as [string, string];
  const queue = (marks: Marks, { now = 100, skipped = [] as string[] } = {}) =>
    queueOf(needs, marks, skipped, now);

  it('leaves out what is done, and takes it back', () => {
    const done = withDone(NO_MARKS, a);
    expect(idsOf(queue(done))).toEqual(['b', 'c']);
    expect(idsOf(queue(withoutDone(done, a)))).toEqual(['a', 'b', 'c']);
  });

  it('leaves out what is snoozed until its time has come', () => {
    const marks = withSnooze(NO_MARKS, b, 200);
    expect(queue(marks)).toMatchObject({ snoozed: [{ key: b }], count: 2, changesAt: 200 });
    expect(idsOf(queue(marks, { now: 200 }))).toEqual(['a', 'b', 'c']);
    expect(idsOf(queue(withSnooze(marks, b, undefined)))).toEqual(['a', 'b', 'c']);
  });

  it('puts what is skipped to the end', () => {
    expect(idsOf(queue(NO_MARKS, { skipped: [b, a] }))).toEqual(['c', 'b', 'a']);
  });

  it('keeps what is answered, and counts it again if it still waits', () => {
    const marks = withAnswer(NO_MARKS, a, 100);
    const answered = queue(marks);
    expect(answered).toMatchObject({ count: 2, changesAt: 100 + ANSWER_HOLDS_MS });
    expect(answered.entries[0]).toMatchObject({ answeredAt: 100, isCounted: false });
    expect(queue(marks, { now: 100 + ANSWER_HOLDS_MS }).count).toBe(3);
  });

  it('forgets marks of terminals that are gone, and bounds those of one', () => {
    const marks = withAnswer(withSnooze(withDone(NO_MARKS, a), b, 9), b, 9);
    expect(prunedMarks(marks, () => true)).toBe(marks);
    expect(prunedMarks(marks, (id) => id === 'b')).toEqual({ ...marks, done: [] });
    let many = withDone(NO_MARKS, a);
    for (let i = 0; i < 80; i++) many = withDone(many, `b failed ${i}`);
    expect(many.done).toHaveLength(51);
    expect(many.done).toContain(a);
    expect(many.done).toContain('b failed 79');
  });

  it('leads to the next that counts, and around', () => {
    const { entries } = queue(withAnswer(NO_MARKS, b, 100));
    expect(nextAfter(entries, a)?.need.terminalId).toBe('c');
    expect(nextAfter(entries, entries[2]!.need.key)?.need.terminalId).toBe('a');
    expect(nextAfter(entries, a, -1)?.need.terminalId).toBe('c');
    expect(nextAfter(entries, undefined)?.need.terminalId).toBe('a');
    expect(nextAfter(entries, undefined, -1)?.need.terminalId).toBe('c');
    expect(nextAfter(entries.slice(0, 1), a)).toBeUndefined();
  });

  it('shows the one into which somebody types at its place', () => {
    const before = queue(NO_MARKS).entries;
    const { entries } = queue(withDone(NO_MARKS, b));
    expect(shownOf(entries, before, b).map(({ need }) => need.terminalId)).toEqual(['a', 'b', 'c']);
    expect(shownOf(entries, before, undefined)).toBe(entries);
    expect(shownOf(entries, before, a)).toBe(entries);
  });
});

describe('an answer', () => {
  it('of one character is a key alone for an agent, and a line for a shell', () => {
    expect(sendingOf('2', true)).toEqual({ as: 'key', isAnswer: true });
    expect(sendingOf('y', true)).toEqual({ as: 'key', isAnswer: false });
    expect(sendingOf('no', true)).toEqual({ as: 'text', isAnswer: true });
    expect(sendingOf('é', true)).toEqual({ as: 'text', isAnswer: true });
    expect(sendingOf('w', false)).toEqual({ as: 'text', isAnswer: true });
  });

  it('by a button counts as one where nothing has to follow', () => {
    const answers = KEY_BUTTONS.filter(({ isAnswer }) => isAnswer).map(({ label }) => label);
    expect(answers).toEqual(['1', '2', '3', 'Esc', 'Enter']);
  });
});

describe('a need that was handled', () => {
  const kinds = {
    waiting: waiting('t', 1_000, { lastInputAt: 900, command: command('c0', null, null) }),
    failed: terminal('t', { command: command('c1', 2, 1_000) }),
    exited: terminal('t', { status: 'exited', exitCode: 7, exitedAt: 1_000 }),
  };
  const EVENTS = {
    waiting: ['agent.status', 'input.changed', 'terminal.updated', 'terminal.resized', 'page', 'window'],
    failed: ['command.started', 'input.changed', 'terminal.updated', 'terminal.resized', 'page', 'window'],
    exited: ['terminal.updated', 'page', 'window'],
  };

  it.each(['waiting', 'failed', 'exited'] as const)('never comes back: %s', (kind) => {
    for (let seed = 0; seed < 200; seed++) {
      const random = new Random(seed);
      let fleet = fleetOf(kinds[kind]);
      let facts = factsAfter(NO_FACTS, fleet, undefined);
      const { key } = needsOf(fleet.values(), facts)[0]!;
      let marks = withDone(NO_MARKS, key);
      let now = 2_000;
      for (let step = 0; step < 30; step++) {
        const previous: typeof fleet | undefined = fleet;
        const type = random.of(EVENTS[kind]);
        now += random.below(60_000);
        fleet = new Map(fleet);
        const known = fleet.get('t')!;
        const timestamp = new Date(now).toISOString();
        const data = {
          'agent.status': { agent: 'claude', agentStatus: 'waiting', agentStatusReason: `r${step}` },
          'input.changed': { source: random.of(['api', 'mcp']) },
          'terminal.updated': { name: `n${step}` },
          'terminal.resized': { cols: 90, rows: 20 },
          'command.started': { ...command(`c${step + 5}`, null, null) },
        }[type];
        if (data) afterEvent(fleet, { type, terminalId: 't', data, timestamp });
        // A restarted service does not know since when an agent waits. No list names the command that failed before.
        else if (type === 'page') {
          fleet.set('t', { ...known, agentSince: random.of([known.agentSince, null]) });
        }
        facts = factsAfter(
          type === 'page' ? structuredClone(facts) : facts,
          fleet,
          type === 'page' ? undefined : previous,
        );
        if (type === 'window')
          marks = withSnooze(withAnswer(marks, 'u waiting 1', now), 'u waiting 1', now + 5);
        marks = prunedMarks(marks, (id) => fleet.has(id));
        const queue = queueOf(needsOf(fleet.values(), facts), marks, [], now);
        expect([...queue.entries, ...queue.snoozed], `seed ${seed}, step ${step}: ${type}`).toEqual([]);
      }
    }
  });
});
