import { afterEach, describe, expect, test } from 'vitest';
import { hrMs } from '#dist/workers/clock.js';
import { type AgentRig, agentRig } from '../support/agent-rig.js';
import { eventually } from '../support/processes.js';

const IDLE = '● Done.\n────\n❯\n────';
const WORKING = `✻ Pondering… (4s)\n${IDLE}`;
const WAITING = 'Do you want to proceed?\n❯ 1. Yes\n  2. No\n\n Esc to cancel';

const rigs: AgentRig[] = [];
function rig(): AgentRig {
  const made = agentRig();
  rigs.push(made);
  return made;
}
afterEach(async () => {
  for (const each of rigs.splice(0)) {
    each.watch.setFollowed(false);
    await each.looks.rounds(1);
    expect(each.faults).toEqual([]);
    expect(each.watch.load).toEqual({ isRunning: false, watched: 0, waits: 0 });
    expect(each.outputWaits()).toBe(0);
  }
});

describe('while a client follows', () => {
  test('changes are announced in order, and nothing else', async () => {
    const { watch, terminals, events } = rig();
    terminals.set('a', { agent: null, text: '$' });
    terminals.set('b', { agent: 'claude', text: WORKING });
    watch.setFollowed(true);
    await events.until('b working');
    terminals.show('b', WAITING);
    await events.until('b waiting');
    terminals.show('b', IDLE);
    await events.until('b idle');
    terminals.set('b', { agent: null, text: '$' });
    await events.until('b null');
    expect(events.list).toEqual(['b working', 'b waiting', 'b idle', 'b null']);
  });

  test('a status seen by only one look is not announced, unless the agent waits', async () => {
    const { watch, terminals, events, looks } = rig();
    terminals.set('a', { agent: 'claude', text: IDLE });
    watch.setFollowed(true);
    await events.until('a idle');
    for (const text of [WORKING, IDLE, WORKING, IDLE, IDLE]) {
      terminals.show('a', text);
      await looks.rounds(1);
    }
    expect(events.list).toEqual(['a idle']);
    terminals.show('a', WAITING);
    await looks.rounds(1);
    await events.until('a waiting');
    expect(events.list).toEqual(['a idle', 'a waiting']);
  });

  test('an agent that is quiet is not looked at until it prints', async () => {
    const { watch, terminals, events, looks } = rig();
    terminals.set('a', { agent: 'claude', text: IDLE, quietMs: 60_000 });
    watch.setFollowed(true);
    await events.until('a idle');
    expect(looks.of('a')).toBe(1);
    await looks.rounds(5);
    expect(looks.of('a')).toBe(1);
    terminals.show('a', WAITING);
    await looks.rounds(1);
    expect(looks.of('a')).toBe(2);
    expect(events.list).toEqual(['a idle', 'a waiting']);
  });

  test('a quiet agent is looked at again when the settings change, or another agent runs', async () => {
    const { watch, terminals, events, settings, looks } = rig();
    terminals.set('a', { agent: 'claude', text: IDLE, quietMs: 60_000 });
    watch.setFollowed(true);
    await events.until('a idle');
    settings.rules('claude', { status: 'waiting', text: 'done' });
    await events.until('a waiting');
    terminals.set('a', { agent: 'codex', text: '• Done.\n› ', quietMs: 60_000 });
    await events.until('a idle', 2);
    expect(looks.of('a')).toBe(3);
  });

  test('a screen that cannot be looked at is no change', async () => {
    const { watch, terminals, events, looks } = rig();
    terminals.set('a', { agent: 'claude', text: WORKING });
    watch.setFollowed(true);
    await events.until('a working');
    terminals.hang('a', true);
    await looks.rounds(5);
    terminals.hang('a', false);
    await looks.rounds(5);
    expect(events.list).toEqual(['a working']);
  });

  test('a look that ends when no client follows any more has no effect', async () => {
    const { watch, terminals, events, looks } = rig();
    terminals.set('a', { agent: 'claude', text: WAITING, quietMs: 60_000 });
    const letGo = looks.hold();
    watch.setFollowed(true);
    await eventually('a look has begun', () => looks.of('a') === 1);
    watch.setFollowed(false);
    letGo();
    await looks.rounds(1);
    expect(events.list).toEqual([]);
  });

  test('a new follower gets the current status of each agent', async () => {
    const { watch, terminals, events } = rig();
    terminals.set('a', { agent: 'claude', text: WORKING });
    watch.setFollowed(true);
    await events.until('a working');
    watch.setFollowed(false);
    expect(watch.load.watched).toBe(0);
    watch.setFollowed(true);
    await events.until('a working', 2);
  });
});

test('nothing runs while no client follows or waits', async () => {
  const { watch, terminals, looks } = rig();
  terminals.set('a', { agent: 'claude', text: WORKING });
  expect(await watch.state('a')).toMatchObject({ agentStatus: 'working' });
  expect(watch.load.isRunning).toBe(false);
  watch.setFollowed(true);
  await looks.rounds(2);
  expect(watch.load).toEqual({ isRunning: true, watched: 1, waits: 0 });
  watch.setFollowed(false);
  await looks.rounds(1);
  expect(watch.load.isRunning).toBe(false);
});

describe('waits', () => {
  const never = new AbortController().signal;

  test('for a future status; only the awaited terminal is looked at', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: 'claude', text: WORKING });
    terminals.set('b', { agent: 'claude', text: WORKING });
    const idle = watch.until('a', 'idle', never);
    await looks.rounds(3);
    terminals.show('a', IDLE);
    expect(await looks.until(idle)).toMatchObject({ agent: 'claude', agentStatus: 'idle' });
    expect(looks.of('b')).toBe(0);
  });

  test('after the last follower leaves, only awaited terminals go on being watched', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: 'claude', text: IDLE });
    terminals.set('b', { agent: 'claude', text: IDLE });
    watch.setFollowed(true);
    const working = watch.until('b', 'working', never);
    watch.setFollowed(false);
    await looks.rounds(2);
    expect(watch.load).toEqual({ isRunning: true, watched: 1, waits: 1 });
    terminals.show('b', WORKING);
    await looks.until(working);
  });

  test('for a status that holds already: it must hold again, unless the agent waits', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: 'claude', text: IDLE });
    await looks.until(watch.until('a', 'idle', never));
    expect(looks.of('a')).toBe(2);
    terminals.set('b', { agent: 'claude', text: WAITING });
    await looks.until(watch.until('b', 'waiting', never));
    expect(looks.of('b')).toBe(1);
  });

  test('for any change: the first status seen is no change', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: 'claude', text: IDLE });
    const changed = watch.until('a', undefined, never);
    await looks.rounds(3);
    terminals.show('a', WAITING);
    expect(await looks.until(changed)).toMatchObject({ agentStatus: 'waiting' });
  });

  test('for any change: the status at the call counts as first, also between two looks', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: 'claude', text: IDLE });
    watch.setFollowed(true);
    await looks.rounds(2);
    const seen = looks.of('a');
    const changed = watch.until('a', undefined, never);
    await eventually('it is looked at', () => looks.of('a') > seen);
    terminals.show('a', WORKING);
    expect(await looks.until(changed)).toMatchObject({ agentStatus: 'working' });
  });

  test('for an agent that does not run yet', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: null, text: '$' });
    const working = watch.until('a', 'working', never);
    await looks.rounds(2);
    terminals.set('a', { agent: 'claude', text: WORKING });
    expect(await looks.until(working)).toMatchObject({ agent: 'claude' });
  });

  test('a screen from before the typing does not count', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: 'claude', text: WAITING, quietMs: 60_000, typedAt: hrMs() });
    let isDone = false;
    const waiting = watch.until('a', 'waiting', never).then(() => {
      isDone = true;
    });
    await looks.rounds(4);
    expect(isDone).toBe(false);
    terminals.show('a', WAITING);
    await looks.until(waiting);
  });

  test('a look begun earlier does not count', async () => {
    const { watch, terminals, looks } = rig();
    terminals.set('a', { agent: 'claude', text: WAITING });
    const letGo = looks.hold();
    watch.setFollowed(true);
    await eventually('a look has begun', () => looks.of('a') === 1);
    let isDone = false;
    const waiting = watch.until('a', 'waiting', never).then(() => {
      isDone = true;
    });
    terminals.show('a', IDLE);
    letGo();
    await looks.rounds(3);
    expect(isDone).toBe(false);
    terminals.show('a', WAITING);
    await looks.until(waiting);
  });

  test('end when the terminal is removed, when it is unknown, and when the waiter gives up', async () => {
    const { watch, terminals } = rig();
    await expect(watch.until('a', 'idle', never)).rejects.toMatchObject({ code: 'terminal-not-found' });
    terminals.set('a', { agent: 'claude', text: WORKING });
    const gone = watch.until('a', 'idle', never);
    const left = new AbortController();
    const aborted = watch.until('a', 'idle', left.signal);
    left.abort(new Error('left'));
    await expect(aborted).rejects.toThrow('left');
    await expect(watch.until('a', 'idle', left.signal)).rejects.toThrow('left');
    terminals.remove('a');
    await expect(gone).rejects.toMatchObject({ code: 'terminal-not-found' });
  });
});
