import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { GlobalFonts } from '@napi-rs/canvas';
import { describe, expect, test } from 'vitest';
import { drawPicture } from '#dist/workers/jobs/screenshot/picture.js';
import { ShownScreen } from '#dist/workers/jobs/screenshot/shown-screen.js';
import { Picture } from '../support/picture.js';

/** The pixels of each column of a row of text, two columns for each wide character. */
async function columns(text: string): Promise<string[]> {
  const screen = new ShownScreen(text, 20, 1);
  try {
    const picture = await Picture.read(drawPicture(screen, false));
    const pixels = (col: number) =>
      Array.from({ length: 19 * 9 }, (_, at) => picture.at(col, 0, at % 9, Math.floor(at / 9))).join();
    return Array.from({ length: 20 }, (_, col) => pixels(col));
  } finally {
    screen.dispose();
  }
}

const hasFamily = (name: RegExp) => GlobalFonts.families.some(({ family }) => name.test(family));

describe('fonts of the machine', () => {
  test.runIf(hasFamily(/cjk|wenquanyi/i))('CJK characters are drawn, not boxes', async () => {
    // Boxes for characters without a font are all alike.
    const [one, , other, , korean] = await columns('中永한');
    expect(new Set([one, other, korean]).size).toBe(3);
  });

  test.runIf(hasFamily(/noto color emoji/i))('emoji are drawn in colour', async () => {
    const [face] = await columns('😀');
    const isYellow = (color: string) => /^#[d-f][\da-f][a-d][\da-f][0-6]/.test(color);
    expect(face!.split(',').filter(isYellow).length).toBeGreaterThan(20);
  });

  test('a found family draws the characters that our own fonts lack', async () => {
    const script = '\u{1d49c}\u{1d49e}';
    const [box, sameBox] = await columns(script);
    expect(box).toBe(sameBox);
    const package_ = createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json');
    GlobalFonts.registerFromPath(join(dirname(package_), 'ttf/DejaVuMathTeXGyre.ttf'), 'Noto Sans CJK HK');
    const [one, other] = await columns(script);
    expect([one === box, one === other]).toEqual([false, false]);
  });
});
