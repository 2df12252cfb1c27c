import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { CHECKPOINT_IDLE_MS, SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { unpackCheckpoint } from '../../src/workers/shard/checkpoint.js';
import type { Checkpoint } from '../../src/workers/shard/checkpoints.js';
import { ParseLoop } from '../../src/workers/shard/parse-loop.js';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { ScreenMemory } from '../../src/workers/shard/screen/xterm/screen-memory.js';
import { CountedSpill } from '../support/counted-spill.js';
import { screenActor as screenActorOf } from '../support/screen-actor.js';
import { text } from '../support/segments.js';

/** More than enough time for a quiet terminal to be saved and put to sleep. */
const QUIET_MS = 3 * SLEEP_AFTER_MS;
const END = new Error('closed');

let spill: CountedSpill;
let faults: string[];
beforeEach(() => {
  vi.useFakeTimers();
  spill = new CountedSpill();
  faults = [];
});
afterEach(() => vi.useRealTimers());

type Saved = Pick<Checkpoint, 'position' | 'bytes'>;

/** A terminal of 40 columns and 6 rows, with the test's questions to it; an earlier shard has left `origin`. */
function terminal(
  origin: Saved = { position: 0, bytes: new Uint8Array(0) },
  { loop = new ParseLoop(), scrollback = 1_000 } = {},
) {
  const saved: Saved[] = [];
  const screenActor = screenActorOf(
    { ...origin, cols: 40, rows: 6, confirmed: origin.position },
    {
      ...{ loop, spill, scrollback },
      save: (checkpoint) => void saved.push(checkpoint),
      fault: (error) => void faults.push(String(error)),
    },
  );
  const settled = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    await vi.advanceTimersByTimeAsync(100);
    return answer;
  };
  return {
    ...{ screenActor, saved },
    write: (text: string) => screenActor.write(Buffer.from(text)),
    sleeps: () => vi.advanceTimersByTimeAsync(QUIET_MS),
    lines: () => settled(screenActor.ask(({ screen }) => screen.serialize({ scrollback: true }))),
    history: () => settled(screenActor.askPlace(({ history }) => history.between(0, 1e9))),
  };
}

const PLAIN = Array.from({ length: 2_000 }, (_, line) => `line ${line}\r\n`).join('');
/** Output that has to be parsed, so that the terminal sleeps with the content of its screen. */
const DRAWN = `\x1b[2J\x1b[H${'\x1b[7mdrawn\x1b[m \x1b[2;2Hand more'.repeat(400)}`;

/** Rows of cells with a colour each, which take 500 KB when they are serialized. */
const COLOURFUL = Array.from(
  { length: 40 * 900 },
  (_, at) => `\x1b[38;2;${at % 256};${at % 255};${at % 254}mx`,
).join('');

describe('a terminal that sleeps', () => {
  it('has its plain output on disk, is woken from there, and frees the place', async () => {
    const { screenActor, write, sleeps, lines, history, saved } = terminal();
    write(PLAIN);
    await sleeps();
    expect(spill.held.size).toBe(1);
    expect(Buffer.from(unpackCheckpoint(saved.at(-1)!.bytes)).toString()).toBe(PLAIN);
    expect(await lines()).toContain('line 1999');
    const { gap, segments } = await history();
    expect([gap, segments]).toEqual([false, [{ bytes: expect.anything() as unknown }]]);
    await sleeps();
    screenActor.close(END);
    expect(spill.held.size).toBe(0);
    expect(faults).toEqual([]);
  });

  it('has a screen on disk if its output cannot make it, and writes the screen once', async () => {
    const { screenActor, write, sleeps, lines } = terminal();
    write(DRAWN);
    const drawn = await lines();
    await sleeps();
    expect(spill.held.size).toBe(2);
    expect(spill.puts).toBe(2);
    for (let times = 3; times > 0; times--) {
      expect(await lines()).toBe(drawn);
      await sleeps();
    }
    expect(spill.puts).toBe(2);
    write(DRAWN);
    await sleeps();
    expect(spill.held.size).toBe(2);
    expect(spill.puts).toBe(4);
    expect(await lines()).toBe(drawn);
    screenActor.close(END);
    expect(spill.held.size).toBe(0);
  });

  it('sleeps again after a shard has taken it over, without printing anything', async () => {
    const first = terminal();
    first.write(DRAWN);
    const drawn = await first.lines();
    await first.sleeps();
    first.screenActor.close(END);
    const { screenActor, sleeps, lines } = terminal(first.saved.at(-1));
    await sleeps();
    expect(spill.held.size).toBe(1);
    expect(await lines()).toBe(drawn);
    screenActor.close(END);
    expect(spill.held.size).toBe(0);
  });

  it('wakes to an empty screen if the disk returns nothing, reports it, and goes on', async () => {
    const { screenActor, write, sleeps, lines, history } = terminal();
    write(DRAWN);
    await sleeps();
    spill.isBroken = true;
    expect(await lines()).not.toContain('drawn');
    write('\r\nstill here');
    expect(await lines()).toContain('still here');
    expect((await history()).gap).toBe(true);
    expect(faults).toEqual([expect.stringContaining('EIO'), expect.stringContaining('EIO')]);
    await sleeps();
    screenActor.close(END);
    expect(spill.held.size).toBe(0);
  });

  it('is saved again after some output, however large its screen is', async () => {
    const { screenActor, write, sleeps, lines, saved } = terminal();
    write(COLOURFUL);
    expect((await lines()).length).toBeGreaterThan(4 * 100 * 1024);
    await sleeps();
    const { position } = saved.at(-1)!;
    for (const part of ['p', 'q']) {
      write(`${part.repeat(30)}\r\n`.repeat(850));
      await sleeps();
    }
    expect(saved.at(-1)!.position - position).toBeGreaterThan(50_000);
    screenActor.close(END);
  });

  it('has all the output that it left to the history, which cuts that between long lines', async () => {
    const scrollback = 10_000;
    const { screenActor, write, sleeps, lines } = terminal(undefined, { scrollback });
    const plain = new Screen({ cols: 40, rows: 6, scrollback });
    const print = async (text: string) => {
      write(text);
      plain.feed(Buffer.from(text));
      await sleeps();
    };
    await print(COLOURFUL);
    const long = (kilobytes: number) => 'a word '.repeat(146 * kilobytes);
    for (const output of [`${long(50)}\r\n${long(70)}`, long(46), long(80)]) await print(output);
    await print('\x1b[H');
    expect(await lines()).toBe(plain.serialize({ scrollback: true }));
    expect(faults).toEqual([]);
    screenActor.close(END);
  });

  it('goes on without the waiting output that the disk does not return', async () => {
    const { screenActor, write, sleeps, lines, history } = terminal();
    write(PLAIN);
    await sleeps();
    spill.isBroken = true;
    write('still here\r\n');
    expect(await lines()).toContain('still here');
    const { gap, segments } = await history();
    expect([gap, segments]).toEqual([true, [{ bytes: Uint8Array.from(Buffer.from('still here\r\n')) }]]);
    spill.isBroken = false;
    await sleeps();
    expect(await lines()).toContain('still here');
    expect(faults).toEqual([
      expect.stringContaining('EIO'),
      expect.stringContaining(
        `${PLAIN.length} bytes of output that the screen had left to the history are lost`,
      ),
    ]);
    screenActor.close(END);
    expect(spill.held.size).toBe(0);
  });
});

describe('a terminal that prints now and then, and never rests', () => {
  it('packs a long scrollback between the turns of other terminals', async () => {
    const loop = new ParseLoop();
    const { screenActor, write, lines } = terminal(undefined, { loop, scrollback: 10_000 });
    write(PLAIN.repeat(6));
    await lines();
    const turns: unknown[] = []; // Also holds packs of terminals that other tests have left, on loops of their own.
    const other = { step: () => turns.push('other') < 0 };
    const { pack } = ScreenMemory.prototype;
    const packed = vi.spyOn(ScreenMemory.prototype, 'pack').mockImplementation(function (this: ScreenMemory) {
      turns.push(this);
      loop.add(other);
      return pack.call(this);
    });
    write('more');
    await vi.advanceTimersByTimeAsync(CHECKPOINT_IDLE_MS);
    packed.mockRestore();
    screenActor.close(END);
    const count = (memory: unknown) => turns.filter((turn) => turn === memory).length;
    const [own] = turns.filter((turn) => turn !== 'other').sort((a, b) => count(b) - count(a));
    const inTurns = turns.filter((turn) => turn === own || turn === 'other').map((turn) => turn === own);
    expect(inTurns.join()).toMatch(/^(true,false,){6,}((?!true,true).)*$/);
  });

  it('has its older output on disk and little at the pty host, and is the same in every cell', async () => {
    const { screenActor, write, lines, history, saved } = terminal();
    const plain = new Screen({ cols: 40, rows: 6, scrollback: 1_000 });
    let all = '';
    for (let round = 0; round < 250; round++) {
      const command = Array.from(
        { length: 20 },
        (_, line) => `\x1b[3${line % 8}m${round * line} é中\x1b[m\tok`,
      );
      const output = `\x1b[2K\x1b]133;C\x07${command.join('\r\n')}\r\n$ `;
      write(output);
      plain.feed(Buffer.from(output));
      all += output;
      await vi.advanceTimersByTimeAsync(CHECKPOINT_IDLE_MS);
      const printed = Buffer.byteLength(all);
      expect(printed - (saved.at(-1)?.position ?? 0)).toBeLessThan(52 * 1024);
      if (round % 100 === 99) expect(await lines()).toBe(plain.serialize({ scrollback: true }));
    }
    expect(Buffer.byteLength(all)).toBeGreaterThan(100 * 1024);
    expect(spill.held.size).toBeGreaterThan(2);
    const { segments } = await history();
    expect(text(segments)).toBe(Buffer.from(all).toString('latin1'));
    expect(await lines()).toBe(plain.serialize({ scrollback: true }));
    const again = new Screen({ cols: 40, rows: 6, scrollback: 1_000 });
    const last = saved.at(-1)!;
    again.feed(unpackCheckpoint(last.bytes));
    again.feed(Buffer.from(all).subarray(last.position));
    expect(again.serialize({ scrollback: true })).toBe(plain.serialize({ scrollback: true }));
    expect(faults).toEqual([]);
    screenActor.close(END);
    expect(spill.held.size).toBe(0);
  });
});
