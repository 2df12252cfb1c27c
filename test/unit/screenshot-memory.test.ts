import { expect, test } from 'vitest';
import { MAX_SCREENSHOT_SIDE } from '#dist/contract/limits.js';
import { drawPicture } from '#dist/workers/jobs/screenshot/picture.js';
import { ShownScreen } from '#dist/workers/jobs/screenshot/shown-screen.js';
import { loadKit } from '#dist/workers/jobs/screenshot/skia/kit.js';
import { Picture } from '../support/picture.js';

const kit = await loadKit();

/** Letters, combined characters, emoji, symbols, curves, blocks and lines, in all styles. */
const rows = Array.from(
  { length: 6 },
  (_, row) => `\x1b[${30 + (row % 8)};${row % 5}mHello x\u0301 👍🏽 ★→ ╭─╯╱ ░ ⣿ 漢字 \x1b[4:3mcurly\x1b[0m`,
);

function draw(text: string, cols: number, lines: number): Uint8Array {
  const screen = new ShownScreen(text, cols, lines);
  try {
    return drawPicture(kit, screen, true);
  } finally {
    screen.dispose();
  }
}

/** Returns the bytes that Skia has from the system. The library's types leave its memory out. */
function memoryBytes(): number {
  return (kit.skia as typeof kit.skia & { HEAPU8: Uint8Array }).HEAPU8.length;
}

/** Returns the place where Skia's memory has room for a large block: behind all used memory. */
function endOfUsed(): number {
  const block = kit.skia.Malloc(Uint8Array, 48_000_000);
  const { byteOffset } = block;
  kit.skia.Free(block);
  return byteOffset;
}

test('pictures leave nothing in the memory of Skia, which is not collected', () => {
  // Fills Skia's caches, which are bounded.
  for (let picture = 0; picture < 20; picture++) draw(rows.join('\r\n'), 60, rows.length);
  const [used, bytes] = [endOfUsed(), memoryBytes()];
  for (let picture = 0; picture < 200; picture++) draw(rows.join('\r\n'), 60, rows.length);
  expect([endOfUsed(), memoryBytes()]).toEqual([used, bytes]);
});

test('the largest pictures fit', async () => {
  const picture = await Picture.read(draw('\x1b[41mX\x1b[K', 222, 105));
  expect([picture.width, picture.height]).toEqual([1998, 1995]);
  expect(Math.max(picture.width, picture.height)).toBeLessThanOrEqual(MAX_SCREENSHOT_SIDE);
  expect(picture.at(221, 0)).toBe('#cd3131');
});
