import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FloodShare } from '#dist/workers/pty-host/pty/flood-share.js';
import { type Libc, loadLibc } from '#dist/workers/pty-host/pty/libc.js';
import { PtyReader, type ReaderContext } from '#dist/workers/pty-host/pty/pty-reader.js';
import { Sweep } from '#dist/workers/pty-host/pty/sweep.js';

const FLAGS = constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK;
const TURN_BYTES = 64 * 1024;
const PTYS = 100;

const realSetTimeout = setTimeout;

// The test controls the clock and the pauses of the sweep, so that a script is swept as often on any machine.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Advances the clock until the condition holds; the test runner's deadline ends the wait. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    vi.advanceTimersByTime(1);
    await new Promise((resolve) => realSetTimeout(resolve, 1));
  }
}

/** A PTY that the test writes to as a program would; the reader has its other end. */
class TestPty {
  readonly reader: PtyReader;
  readonly #slave: number;
  written = '';
  received = '';
  isPaused = false;
  hasEnded = false;

  constructor(libc: Libc, context: ReaderContext) {
    const master = openSync('/dev/ptmx', FLAGS);
    const name = Buffer.alloc(128);
    expect([libc.grantpt(master), libc.unlockpt(master), libc.ptsname_r(master, name, 128)]).toEqual([
      0, 0, 0,
    ]);
    this.#slave = openSync(name.toString('utf8', 0, name.indexOf(0)), FLAGS);
    this.reader = new PtyReader(master, context, {
      allowance: () => (this.isPaused ? 0 : TURN_BYTES),
      bytes: (bytes) => {
        this.received += bytes.toString('latin1');
      },
      ended: () => {
        this.hasEnded = true;
      },
    });
    this.reader.update();
  }

  /** Writes as much as the kernel takes at once. */
  write(text: string): void {
    try {
      const count = writeSync(this.#slave, text, null, 'latin1');
      this.written += text.slice(0, count);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    this.reader.update();
  }

  hangUp(): void {
    closeSync(this.#slave);
  }
}

const step = fc.oneof(
  // Letters only, since the terminal passes them on unchanged.
  {
    weight: 200,
    arbitrary: fc.record({
      write: fc.oneof(
        { weight: 4, arbitrary: fc.integer({ min: 1, max: 900 }) },
        { weight: 1, arbitrary: fc.integer({ min: 2_000, max: 9_000 }) },
      ),
    }),
  },
  { weight: 20, arbitrary: fc.constantFrom('pause', 'goOn', 'goOn', 'goOn', 'readNow') },
  { weight: 1, arbitrary: fc.constant('hurry') },
);
const steps = fc.array(fc.tuple(fc.nat(PTYS - 1), step), { minLength: 2_000, maxLength: 3_000 });

test.runIf(process.platform === 'linux')(
  'PTYs that are swept give each byte once and in order, however they are paused, hurried and ended',
  async () => {
    const libc = loadLibc(process.platform, process.arch) as Libc;
    let swept = 0;
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const sweep = new Sweep(libc.openEpoll());
        const add = sweep.add.bind(sweep);
        sweep.add = (reader) => {
          swept++;
          return add(reader);
        };
        const floods = new FloodShare<PtyReader>({ turnBytes: TURN_BYTES });
        const context = { scratch: Buffer.allocUnsafeSlow(TURN_BYTES), floods, sweep };
        const ptys = Array.from({ length: PTYS }, () => new TestPty(libc, context));
        // Passes the time after the start in which first output is read at once, because clients wait for it.
        vi.advanceTimersByTime(2_000);
        for (const [at, [which, what]] of script.entries()) {
          const pty = ptys[which]!;
          if (typeof what === 'object') pty.write(String.fromCharCode(97 + (at % 26)).repeat(what.write));
          else if (what === 'hurry') pty.reader.hurry();
          else if (what === 'readNow') pty.reader.readNow();
          else pty.pause(what === 'pause');
          if (at % 6 !== 0) continue;
          vi.advanceTimersByTime(3);
          await nextTurn();
        }
        for (const pty of ptys) pty.pause(false);
        await until(() => ptys.every(({ received, written }) => received.length >= written.length));
        for (const pty of ptys) expect(pty.received).toBe(pty.written);
        for (const pty of ptys) pty.hangUp();
        await until(() => ptys.every(({ hasEnded }) => hasEnded));
        for (const pty of ptys) expect(pty.received).toBe(pty.written);
      }),
      { numRuns: 8 },
    );
    expect(swept).toBeGreaterThan(PTYS);
  },
);

test.runIf(process.platform === 'linux')('a PTY that gives much in small pieces is not swept', async () => {
  const libc = loadLibc(process.platform, process.arch) as Libc;
  const sweep = new Sweep(libc.openEpoll());
  const added = vi.spyOn(sweep, 'add');
  const floods = new FloodShare<PtyReader>({ turnBytes: TURN_BYTES });
  const pty = new TestPty(libc, { scratch: Buffer.allocUnsafeSlow(TURN_BYTES), floods, sweep });
  vi.advanceTimersByTime(2_000);
  for (let piece = 0; piece < 2_000; piece++) {
    pty.write(String.fromCharCode(97 + (piece % 26)).repeat(500));
    vi.advanceTimersByTime(1);
    await nextTurn();
  }
  await until(() => pty.received.length === pty.written.length);
  expect(added).not.toHaveBeenCalled();
  pty.hangUp();
  await until(() => pty.hasEnded);
  expect(pty.received).toBe(pty.written);
});
