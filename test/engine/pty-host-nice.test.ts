import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { niceOf } from '../support/nice-of.js';
import { Rig } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

describe.each([
  ['a PTY', false],
  ['tmux', true],
])('a program on %s', (_name, tmux) => {
  test('is as nice as requested, and its servers are not', async () => {
    const own = niceOf(rig.host.hostPid);
    const run = await rig.run('printf up; sleep 1000', { tmux, nice: 10 });
    await run.sink.until('up', () => run.sink.text === 'up');
    expect(niceOf(run.pid)).toBe(10);
    const other = await rig.run('printf up; sleep 1000', { tmux, nice: 3 });
    await other.sink.until('up', () => other.sink.text === 'up');
    expect([niceOf(other.pid), niceOf(run.pid), niceOf(rig.host.hostPid)]).toEqual([3, 10, own]);
    if (tmux) expect(niceOf(rig.tmux.serverPid)).toBe(own);
  });

  test('keeps its own value if none is requested', async () => {
    const run = await rig.run('printf up; sleep 1000', { tmux });
    await run.sink.until('up', () => run.sink.text === 'up');
    expect(niceOf(run.pid)).toBe(0);
  });
});
