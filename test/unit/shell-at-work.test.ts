import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CHECKPOINT_IDLE_MS, SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import { callsOf, watchedScreen } from '../support/watched-screen.js';

/** Time in which an unneeded screen is put to sleep, even with a long scrollback. */
const LONG_MS = 10 * SLEEP_AFTER_MS;
const COMMAND_MS = 2_000;
/** The keys of a line editor, and a prompt as bash draws it. */
const PROMPT = '\x1b]133;A;k=1\x07\x1b[?2004h\x1b[1;32m~/é\x1b[m $ \x1b]133;B;k=1\x07';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** A shell that runs a command every two seconds. The test asks for its cursor at each mark, as the product does. */
function shell() {
  const watched = watchedScreen();
  const { screenActor, write, expectedPlace } = watched;
  const places: Promise<unknown>[] = [];
  const mark = (text: string) => {
    write(text);
    const expected = expectedPlace();
    const bracketedPaste = text.endsWith(PROMPT);
    const isRight = ({ cursor, modes }: { cursor: object; modes: object }) => {
      expect(cursor).toEqual(expected);
      expect(modes).toEqual({ bracketedPaste, applicationCursor: false });
    };
    places.push(screenActor.askPlace(isRight));
  };
  let count = 0;
  const commands = async (ms: number, lines = 4) => {
    for (const end = Date.now() + ms; Date.now() < end; count++) {
      write(`\x1b[7mrun ${count}\x1b[27m${'\b'.repeat(5)}run ${count}\r\n\x1b[?2004l\r`);
      mark('\x1b]133;C;k=1\x07');
      write(`line ${count} of a command, wider than the screen\r\n`.repeat(lines));
      mark(`\x1b]133;D;0;k=1\x07${PROMPT}`);
      await vi.advanceTimersByTimeAsync(COMMAND_MS);
    }
    await Promise.all(places.splice(0));
  };
  mark(PROMPT);
  return { ...watched, commands };
}

it('is never parsed while only places are asked for', async () => {
  const { commands, restored, expected, close } = shell();
  const wakes = callsOf('awake');
  await commands(3 * LONG_MS, 8);
  expect(wakes).not.toHaveBeenCalled();
  expect(restored()).toBe(expected());
  close();
});

it('is the same when somebody reads it, and sleeps again', async () => {
  const { commands, lines, expected, restored, write, close } = shell();
  const sleeps = callsOf('sleep');
  for (let times = 1; times <= 4; times++) {
    await commands(LONG_MS);
    expect(await lines()).toBe(expected());
    if (times === 2) write('\x1b[4;2r\x1b[r\x1b[2J');
    if (times === 3) write('\x1b]0;title\x07\x1b[?1049h\x1b[?1049l');
    expect(await lines()).toBe(expected());
    await commands(LONG_MS);
    expect(sleeps).toHaveBeenCalledTimes(times);
    expect(restored()).toBe(expected());
  }
  close();
});

it('is saved while it sleeps, so that the pty host keeps little of its output', async () => {
  const { commands, saved, printed, restored, expected, close } = shell();
  const sleeps = callsOf('sleep');
  await commands(CHECKPOINT_IDLE_MS);
  let most = 0;
  for (let round = 0; round < 200; round++) {
    await commands(COMMAND_MS, 20);
    most = Math.max(most, printed() - (saved.at(-1)?.position ?? 0));
  }
  expect(most).toBeLessThan(52 * 1024);
  // From time to time all held output is parsed, and stored as a screen.
  expect(sleeps.mock.calls.length).toBeGreaterThan(0);
  expect(sleeps.mock.calls.length).toBeLessThan(5);
  expect(restored()).toBe(expected());
  close();
});

it('tells its place at once, and behind what has to be parsed once that is parsed', async () => {
  const { screenActor, write, expectedPlace, close } = shell();
  const told: object[] = [];
  const ask = () => void screenActor.askPlace(({ cursor }) => told.push(cursor));
  write('\x1b[31mtext');
  ask();
  expect(told).toEqual([expectedPlace()]);
  write('\x1b[2;3H');
  const second = expectedPlace();
  ask();
  write('more');
  const third = expectedPlace();
  ask();
  expect(told).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(CHECKPOINT_IDLE_MS);
  expect(told.slice(1)).toEqual([second, third]);
  close();
});

it('takes nothing once it is closed', async () => {
  const { screenActor, close } = shell();
  close();
  screenActor.write(Buffer.from('late'));
  await expect(screenActor.askPlace(() => undefined)).rejects.toThrow('closed');
  expect(vi.getTimerCount()).toBe(0);
});
