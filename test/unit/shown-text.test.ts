import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SHOWN_TEXT_MS, SHOWN_TEXT_PAUSE_MS } from '../../src/contract/limits.js';
import { ShownText } from '../../src/workers/shard/stages/shown-text.js';
import { callsOf, watchedScreen } from '../support/watched-screen.js';

/** Shorter than the pause after which the screen is looked at. */
const KEY_MS = SHOWN_TEXT_PAUSE_MS / 2;
/** What a shell prints for "clear" whose last letter was wrong at first. */
const CORRECTED = ['c', 'l', 'e', 'a', 'x', '\b \b', 'r'];
const CLEARED = '\r\n\x1b[H\x1b[2J\x1b[3J$ ';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function shell() {
  const { screenActor, write, printed, close } = watchedScreen();
  const shown = new ShownText({
    screenActor,
    shellRanges: { isPromptAt: () => false },
    fault: (error) => {
      throw error;
    },
  });
  const print = async (text: string, ms = KEY_MS) => {
    write(text);
    shown.output();
    await vi.advanceTimersByTimeAsync(ms);
  };
  /**
   * Asks whether a line that was typed from `position` on is shown. Resolves with the answer, and with the milliseconds
   * that it took.
   */
  const ask = async (text: string, position: number): Promise<[isShown: boolean, ms: number]> => {
    const begin = Date.now();
    return [await shown.isShown({ texts: [text], position, isLine: true }), Date.now() - begin];
  };
  return { ...{ print, ask, printed, close } };
}

it('sees a line that was corrected on the way, before the screen is cleared', async () => {
  const { print, ask, printed, close } = shell();
  await print('$ ');
  const begin = printed();
  for (const key of CORRECTED) await print(key, SHOWN_TEXT_PAUSE_MS);
  const asked = ask('clear', begin);
  await vi.advanceTimersByTimeAsync(1);
  await print(CLEARED, 2 * SHOWN_TEXT_MS);
  expect((await asked)[0]).toBe(true);
  close();
});

it('knows a line that was corrected on the way at once, also if nothing is printed any more', async () => {
  const { print, ask, printed, close } = shell();
  await print('$ ');
  const begin = printed();
  for (const key of CORRECTED) await print(key, SHOWN_TEXT_PAUSE_MS);
  const asked = ask('clear', begin);
  await vi.advanceTimersByTimeAsync(2 * SHOWN_TEXT_MS);
  const [isShown, ms] = await asked;
  expect(isShown).toBe(true);
  expect(ms).toBeLessThan(SHOWN_TEXT_PAUSE_MS);
  close();
});

it('sees a text on the screen though another is typed while that look is due', async () => {
  const { print, ask, printed, close } = shell();
  await print('$ ');
  const first = ask('clear', printed());
  await print(CORRECTED.join(''));
  const second = ask('other', printed());
  await vi.advanceTimersByTimeAsync(2 * SHOWN_TEXT_PAUSE_MS);
  await print(CLEARED, 2 * SHOWN_TEXT_MS);
  expect((await first)[0]).toBe(true);
  expect((await second)[0]).toBe(false);
  close();
});

it('leaves the screen unparsed while nothing was printed, and for an echo that the history shows', async () => {
  const { print, ask, printed, close } = shell();
  await print('$ ');
  const wakes = callsOf('awake');
  for (const text of ['one command', 'another']) {
    const asked = ask(text, printed());
    await vi.advanceTimersByTimeAsync(KEY_MS);
    await print(`${text}\r\n`, SHOWN_TEXT_PAUSE_MS);
    expect((await asked)[0]).toBe(true);
  }
  expect(wakes).not.toHaveBeenCalled();
  close();
});
