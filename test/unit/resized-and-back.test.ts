import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SLEEP_AFTER_MS } from '../../src/contract/limits.js';
import type { AttachedTerminal } from '../../src/workers/shard/attached-terminal.js';
import { ScreenCopies } from '../../src/workers/shard/screen-copies.js';
import type { TerminalActor } from '../../src/workers/shard/terminal-actor.js';
import { screenActor } from '../support/screen-actor.js';

const SIZE = { cols: 40, rows: 6 };
/** A line on the alternate screen, which does not rewrap: a narrower screen cuts it. */
const DRAWN = '\x1b[?1049h\x1b[2J\x1b[Hfrom here to the right edge of the screen';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A terminal that was narrow for a moment, in which it has printed nothing. */
function terminal() {
  const actor = screenActor(SIZE);
  const settled = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    await vi.advanceTimersByTimeAsync(100);
    return answer;
  };
  actor.write(Buffer.from(DRAWN));
  return {
    actor,
    settled,
    first: () => settled(actor.ask(({ screen }) => screen.rowTexts()[0])),
    narrowAndBack: () => {
      actor.resized(20, 6);
      actor.resized(SIZE.cols, SIZE.rows);
    },
  };
}

it('wakes as it was put to sleep, not as it was saved at the same size before', async () => {
  const { first, narrowAndBack } = terminal();
  await vi.advanceTimersByTimeAsync(3 * SLEEP_AFTER_MS);
  expect(await first()).toBe('from here to the right edge of the scree');
  narrowAndBack();
  expect(await first()).toBe('from here to the rig');
  await vi.advanceTimersByTimeAsync(3 * SLEEP_AFTER_MS);
  expect(await first()).toBe('from here to the rig');
});

it('has new rows for clients that watch its screen', async () => {
  const { actor, settled, narrowAndBack } = terminal();
  const attached = { screenActor: actor, received: DRAWN.length, size: SIZE, resizes: 0 };
  const asked = {
    attached,
    ask: (question: (attached: AttachedTerminal) => unknown) => question(attached as never),
  } as unknown as TerminalActor;
  const copies = new ScreenCopies(new Map([['t', asked]]), (_id, error) => {
    throw error;
  });
  const { frames } = await settled(copies.rows([{ id: 't', since: null }]));
  expect(frames[0]!.json).toContain('the scree');
  narrowAndBack();
  attached.resizes += 2;
  const { frames: later } = await settled(copies.rows([{ id: 't', since: frames[0]!.n }]));
  expect(later[0]?.json).toContain('"from here to the rig"');
});
