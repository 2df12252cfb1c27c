import { closeSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FloodShare } from '#dist/workers/pty-host/pty/flood-share.js';
import { NodePtyFork } from '#dist/workers/pty-host/pty/node-pty-fork.js';
import { PtyReader, type ReaderContext } from '#dist/workers/pty-host/pty/pty-reader.js';
import { Sweep } from '#dist/workers/pty-host/pty/sweep.js';

const TURN_BYTES = 64 * 1024;
/** Bytes of many turns of a flood. */
const MUCH = 32 * TURN_BYTES;

const realSetTimeout = setTimeout;

const open: (() => void)[] = [];
// The test decides when rests and floods end: real programs run on real PTYs while the clock stands still.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => {
  for (const close of open.splice(0)) close();
  vi.useRealTimers();
});

/** Runs a shell's script on a PTY and reads what it prints. */
function read(context: ReaderContext, script: string) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  const program = { file: 'sh', path: '/bin/sh', args: ['-c', script], env, cwd: '/', cols: 80, rows: 24 };
  let isOver = false;
  const { pid, master, slave } = new NodePtyFork().start(program, () => {
    isOver = true;
  });
  const seen = { bytes: 0, end: '', reader: undefined as unknown as PtyReader };
  seen.reader = new PtyReader(master, context, {
    allowance: () => TURN_BYTES,
    bytes: (bytes) => {
      seen.bytes += bytes.length;
      seen.end = bytes.toString('latin1').slice(-10);
    },
    ended: () => undefined,
  });
  open.push(() => {
    if (!isOver) process.kill(pid, 'SIGKILL');
    seen.reader.close();
    closeSync(slave);
  });
  seen.reader.update();
  return seen;
}

/** Waits by the real clock; the test runner's deadline ends the wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => realSetTimeout(resolve, 1));
}

it('one flooding program never rests, two rest in turn, and a third that prints little does not', async () => {
  const context: ReaderContext = {
    scratch: Buffer.allocUnsafeSlow(TURN_BYTES),
    floods: new FloodShare({ turnBytes: TURN_BYTES }),
    sweep: new Sweep(undefined),
  };
  const rest = vi.spyOn(context.floods, 'rest');
  const rests = () => rest.mock.results.map(({ value }) => value as number).filter((ms) => ms > 0);
  const first = read(context, 'exec yes');
  await until(() => first.bytes > MUCH);
  expect([first.reader.paused, rests()]).toEqual([false, []]);

  const second = read(context, 'exec yes');
  await until(() => first.reader.paused && second.reader.paused);
  const resting = [first.bytes, second.bytes];
  const little = read(context, 'echo little; exec sleep 1000');
  await until(() => little.end.includes('little'));
  expect([little.reader.paused, first.bytes, second.bytes]).toEqual([false, ...resting]);

  for (let turn = 1; turn < 10; turn++) {
    const before = [first.bytes, second.bytes];
    vi.advanceTimersByTime(10);
    await until(() => first.bytes > before[0]! && second.bytes > before[1]!);
    await until(() => first.reader.paused && second.reader.paused);
  }

  second.reader.close();
  vi.advanceTimersByTime(10);
  const alone = first.bytes;
  rest.mockClear();
  await until(() => first.bytes > alone + MUCH);
  expect([first.reader.paused, rests()]).toEqual([false, []]);
});
