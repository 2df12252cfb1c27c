import { afterEach, describe, expect, test } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { eventually } from '../support/processes.js';
import { Disk, running, start, stopAll, Terminal } from '../support/prompt-queue.js';

afterEach(stopAll);

describe('the prompt queue', () => {
  test('types in order, and says that it types before it does', async () => {
    const disk = new Disk();
    const terminal = new Terminal();
    terminal.isReady = false;
    const { add, states, events } = start(disk, terminal);
    for (const text of ['a', 'b', 'c']) await add(text);
    expect(states()).toEqual(['a queued', 'b queued', 'c queued']);
    const steps: string[] = [];
    disk.onWrite = (_id, { prompt, state }) => steps.push(`${prompt} ${state} ${terminal.typed.length}`);
    terminal.isReady = true;
    await eventually('all are typed', () => events.length === 6);
    expect(terminal.typed).toEqual(['a', 'b', 'c']);
    expect(steps).toEqual([
      ...['a typing 0', 'a submitted 1', 'b typing 1', 'b submitted 2', 'c typing 2', 'c submitted 3'],
    ]);
    expect(events.slice(3).map(({ type, data }) => ({ type, data }))).toEqual(
      [1, 2, 3].map((n) => ({
        type: 'prompt.ended',
        data: { promptId: `pr_${n}`, state: 'submitted', reason: null },
      })),
    );
  });

  test('leaves what was being typed when the service died, and goes on with the rest', async () => {
    const disk = new Disk();
    const terminal = new Terminal();
    terminal.outcomeOf = () => new Promise(() => undefined);
    const first = start(disk, terminal);
    await first.add('a');
    await first.add('b');
    await eventually('a is typed', () => terminal.typed.length === 1);
    // The first service is killed, so it writes nothing more to the disk.
    const left = new Disk();
    for (const [id, record] of disk.records) left.records.set(id, record);
    running.clear();
    const next = new Terminal();
    const { states, prompts } = start(left, next);
    expect(prompts.get('t', 'pr_1')).toMatchObject({ state: 'unknown', reason: 'restarted' });
    await eventually('b is typed', () => next.typed.length === 1);
    await eventually('b has ended', () => states().join() === 'a unknown,b submitted');
    expect(next.typed).toEqual(['b']);
  });

  test('ends all with the terminal, also one that ended while no service ran', async () => {
    const disk = new Disk();
    const terminal = new Terminal();
    terminal.isReady = false;
    const { add, exits, states, events } = start(disk, terminal);
    await add('a');
    await add('b', { afterMs: 60_000 });
    exits();
    expect(states()).toEqual(['a terminal-gone', 'b terminal-gone']);
    await eventually('it is told', () => events.length === 4);
    const other = new Disk();
    const open = start(other, terminal);
    await open.add('c');
    await open.prompts.stop();
    expect(start(other, terminal, { isGone: true }).states()).toEqual(['c terminal-gone']);
    expect(terminal.typed).toEqual([]);
  });

  test.each(['no-agent', 'locked'])(
    'ends a prompt whose terminal ended while it was typed: %s',
    async (refusal) => {
      const terminal = new Terminal();
      terminal.isReady = false;
      const { add, exits, states, events } = start(new Disk(), terminal);
      terminal.onType = exits;
      terminal.refusals = [refusal];
      await add('a');
      await add('b');
      terminal.isReady = true;
      await eventually('both are told', () => events.length === 4);
      expect(states()).toEqual(['a terminal-gone', 'b terminal-gone']);
      expect(terminal.typed).toEqual([]);
    },
  );

  test('ends a prompt whose terminal ended while the disk refused it', async () => {
    const disk = new Disk();
    const terminal = new Terminal();
    const { add, exits, states } = start(disk, terminal);
    disk.onWrite = (_id, { state }) => {
      if (state !== 'typing') return;
      exits();
      throw new DomainError('storage-full');
    };
    await add('a');
    await eventually('it has ended', () => states().join() === 'a terminal-gone');
    expect(terminal.typed).toEqual([]);
  });

  test('tries again where the gate refuses at the last moment, and gives up where nobody knows', async () => {
    const terminal = new Terminal();
    terminal.refusals = ['locked', 'agent-waiting', '', 'outcome-unknown'];
    const { add, states } = start(new Disk(), terminal);
    await add('a');
    await add('b');
    await eventually('both have ended', () => states().join() === 'a submitted,b unknown');
    expect(terminal.typed).toEqual(['a']);
  });

  test('types nothing behind a stalled prompt before the line is clear, also in the next service', async () => {
    const disk = new Disk();
    const terminal = new Terminal();
    terminal.outcomeOf = async () => ({ state: 'stalled', reason: 'no-reaction' });
    const first = start(disk, terminal);
    await first.add('a');
    await first.add('b');
    await eventually('b waits', () => first.prompts.get('t', 'pr_2').waitsFor === 'stalled');
    await first.prompts.stop();
    const next = new Terminal();
    const { prompts } = start(disk, next);
    await eventually('b waits again', () => prompts.get('t', 'pr_2').waitsFor === 'stalled');
    expect(next.typed).toEqual([]);
    next.isCleared = true;
    await eventually('b is typed', () => next.typed.length === 1);
  });

  test('forgets prompts that stalled in terminals which ended while no service ran, as it forgets others', async () => {
    const disk = new Disk();
    const terminal = new Terminal();
    terminal.outcomeOf = async () => ({ state: 'stalled', reason: 'no-reaction' });
    const first = start(disk, terminal);
    await first.add('a');
    await eventually('a stalls', () => first.states().join() === 'a stalled');
    await first.prompts.stop();
    start(disk, terminal, { isGone: true });
    await eventually('nothing is in the way', () => disk.records.get('pr_1')?.isInTheWay === false);
  });

  test('never types what has expired, was cancelled, or whose token has ended', async () => {
    const terminal = new Terminal();
    terminal.isLocked = true;
    let mayType = true;
    const { add, states, prompts } = start(new Disk(), terminal, { mayType: () => mayType });
    await add('a', { expiresInMs: 50 });
    await add('b');
    await add('c');
    await eventually('a expires', () => states()[0] === 'a expired');
    await eventually('b is at the gate', () => prompts.get('t', 'pr_2').waitsFor === 'gate');
    prompts.cancel('t', 'pr_2');
    expect(() => prompts.cancel('t', 'pr_2')).toThrow(expect.objectContaining({ code: 'prompt-not-queued' }));
    await eventually('c is at the gate', () => prompts.get('t', 'pr_3').waitsFor === 'gate');
    mayType = false;
    terminal.isLocked = false;
    await eventually('c has ended', () => states()[2] === 'c cancelled');
    expect(prompts.get('t', 'pr_3').reason).toBe('token-ended');
    expect(terminal.typed).toEqual([]);
  });

  test('is not held up by a prompt that is not due, and types that at its time', async () => {
    const terminal = new Terminal();
    const { add, states } = start(new Disk(), terminal);
    const due = performance.now() + 200;
    await add('late', { afterMs: 200 });
    await add('now');
    await eventually('both are typed', () => states().join() === 'late submitted,now submitted');
    expect(performance.now()).toBeGreaterThanOrEqual(due);
    expect(terminal.typed).toEqual(['now', 'late']);
  });

  test('keeps the latest 1,000 that have ended, and no more than 100 that wait in a terminal', async () => {
    const disk = new Disk();
    const terminal = new Terminal();
    terminal.isReady = false;
    const { add, prompts } = start(disk, terminal);
    for (let n = 1; n <= 1_010; n++) {
      await add('x');
      prompts.cancel('t', `pr_${n}`);
    }
    await eventually('the oldest are gone', () => disk.records.size === 1_000);
    expect([disk.records.has('pr_10'), disk.records.has('pr_11')]).toEqual([false, true]);
    for (let n = 0; n < 100; n++) await add('x');
    await expect(add('x')).rejects.toMatchObject({ code: 'too-many-prompts' });
  });
});
