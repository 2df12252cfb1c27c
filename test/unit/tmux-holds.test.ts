import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TMUX_FREEZE_MS, TMUX_PAUSE_MS } from '../../src/contract/limits.js';
import { Holds } from '../../src/workers/pty-host/tmux/holds.js';

let done: string[];
let holds: Holds;
beforeEach(() => {
  vi.useFakeTimers();
  done = [];
  const log = (what: string) => () => void done.push(what);
  holds = new Holds(
    { pause: log('pause'), resume: log('resume') },
    { freeze: log('freeze'), thaw: log('thaw') },
  );
});
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

function pane(name: string) {
  return { stop: () => void done.push(`stop ${name}`), goOn: () => void done.push(`go on ${name}`) };
}

describe('a pane that is held', () => {
  it('for a moment costs a pause', () => {
    const one = pane('one');
    holds.hold(one);
    vi.advanceTimersByTime(TMUX_PAUSE_MS - 1);
    holds.release(one);
    expect(done).toEqual(['pause', 'resume']);
  });

  it('for longer is stopped while the server stands still, and goes on by itself', () => {
    const one = pane('one');
    holds.hold(one);
    vi.advanceTimersByTime(TMUX_PAUSE_MS + TMUX_FREEZE_MS);
    expect(done).toEqual(['pause', 'freeze', 'stop one', 'thaw', 'resume']);
    holds.release(one);
    expect(done.slice(5)).toEqual(['go on one']);
  });

  it('and released while the server stands still goes on at once', () => {
    const one = pane('one');
    holds.hold(one);
    vi.advanceTimersByTime(TMUX_PAUSE_MS + 1);
    holds.release(one);
    expect(done).toEqual(['pause', 'freeze', 'thaw', 'resume']);
  });

  it('late in the time of another has a time of its own', () => {
    const [one, two] = [pane('one'), pane('two')];
    holds.hold(one);
    vi.advanceTimersByTime(TMUX_PAUSE_MS + 1);
    holds.hold(two);
    vi.advanceTimersByTime(TMUX_FREEZE_MS);
    expect(done).toEqual(['pause', 'freeze', 'stop one', 'thaw']);
    vi.advanceTimersByTime(TMUX_PAUSE_MS + TMUX_FREEZE_MS);
    expect(done.slice(4)).toEqual(['freeze', 'stop two', 'thaw', 'resume']);
  });

  it('and gone is neither stopped nor waited for', () => {
    const [one, two] = [pane('one'), pane('two')];
    holds.hold(one);
    holds.hold(two);
    holds.forget(two);
    vi.advanceTimersByTime(TMUX_PAUSE_MS + TMUX_FREEZE_MS);
    holds.forget(one);
    expect(done).toEqual(['pause', 'freeze', 'stop one', 'thaw', 'resume']);
  });
});
