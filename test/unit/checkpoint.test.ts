import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { MAX_CHECKPOINT_BYTES } from '#dist/contract/limits.js';
import { type Detail, packCheckpoint, unpackCheckpoint } from '#dist/workers/shard/checkpoint.js';
import { Screen } from '#dist/workers/shard/screen/screen.js';
import { MAX_CELL_MARKS } from '#dist/workers/shard/screen/serialize/cell-bound.js';
import { Random } from '../support/random.js';

interface Painted {
  cols: number;
  rows: number;
  cell: (random: Random) => string;
}

/** A screen filled row by row with these cells, the cursor left in the third row. */
function paint({ cols, rows, cell }: Painted): Screen {
  const screen = new Screen({ cols, rows, scrollback: 10 });
  const random = new Random(1);
  for (let row = 0; row < rows; row++) {
    const cells = Array.from({ length: cols }, () => cell(random)).join('');
    screen.feed(Buffer.from(`\x1b[${row + 1}H${cells}`));
  }
  screen.feed(Buffer.from('\x1b[m\x1b[3;5H\x1b[?2004h\x1b[?6l\x1b]2;a title\x07'));
  return screen;
}

/** Returns the screen that a checkpoint restores. */
function restored(packed: Uint8Array, { cols, rows }: Screen): Screen {
  const screen = new Screen({ cols, rows, scrollback: 10 });
  screen.feed(unpackCheckpoint(packed));
  return screen;
}

/** The state that every checkpoint keeps, whatever it leaves out. */
const kept = (screen: Screen) => ({ cursor: screen.cursor(), modes: screen.modes });

const color = (random: Random) =>
  `\x1b[38;2;${random.below(256)};${random.below(256)};${random.below(256)}m${String.fromCharCode(33 + random.below(90))}`;
/** A character one column wide, three bytes long. */
const letter = (random: Random) => String.fromCharCode(0x1400 + random.below(0x280));
const marks = (random: Random) =>
  Array.from({ length: MAX_CELL_MARKS }, () => String.fromCharCode(0x300 + random.below(0x6f))).join('');

describe('a checkpoint', () => {
  test('of a screen that fits has all of it', () => {
    const screen = paint({ cols: 80, rows: 24, cell: color });
    const { packed, detail, size } = packCheckpoint(screen, { detail: 'whole', deflate: true });
    expect(detail).toBe('whole');
    expect(size).toBe(Buffer.byteLength(screen.serialize({ scrollback: true })));
    expect(restored(packed, screen).serialize({ scrollback: true })).toBe(
      screen.serialize({ scrollback: true }),
    );
  });

  test('of too many colours keeps only the text', () => {
    const screen = paint({ cols: 1_000, rows: 800, cell: color });
    const { packed, detail, size } = packCheckpoint(screen, { detail: 'whole', deflate: true });
    expect(detail).toBe('text');
    expect(size).toBeGreaterThan(MAX_CHECKPOINT_BYTES);
    expect(packed.length).toBeLessThanOrEqual(MAX_CHECKPOINT_BYTES);
    const after = restored(packed, screen);
    expect(after.rowTexts()).toEqual(screen.rowTexts());
    expect(kept(after)).toEqual(kept(screen));
  });

  test('of too many combining characters keeps only the letters', () => {
    const screen = paint({ cols: 500, rows: 400, cell: (random) => letter(random) + marks(random) });
    const { packed, detail } = packCheckpoint(screen, { detail: 'screen', deflate: false });
    expect(detail).toBe('letters');
    expect(packed.length).toBeLessThanOrEqual(MAX_CHECKPOINT_BYTES);
    const after = restored(packed, screen);
    expect(after.rowTexts()).toEqual(screen.rowTexts().map((text) => text.replace(/\p{M}/gu, '')));
    expect(kept(after)).toEqual(kept(screen));
  });

  test.each<Detail>(['text', 'letters', 'blank'])('begins with %s if more is known not to fit', (detail) => {
    const screen = paint({ cols: 80, rows: 24, cell: (random) => `${letter(random)}\u0301` });
    screen.feed(Buffer.from('\x1b[?1049hon the alternate screen\x1b[2;20r\x1b[?6h\x1b[4;7H'));
    const { packed, detail: fitted } = packCheckpoint(screen, { detail, deflate: true });
    expect(fitted).toBe(detail);
    const after = restored(packed, screen);
    expect(kept(after)).toEqual(kept(screen));
    expect(kept(after).cursor).toEqual({ row: 4, col: 6, altScreen: true });
    expect(after.rowTexts().join('')).toBe(detail === 'blank' ? '' : 'on the alternate screen');
  });

  test('keeps the unfinished sequence, however little else', () => {
    const screen = paint({ cols: 80, rows: 24, cell: letter });
    screen.feed(Buffer.from('\x1b[5;'));
    const after = restored(packCheckpoint(screen, { detail: 'blank', deflate: true }).packed, screen);
    after.feed(Buffer.from('9Hx'));
    expect(after.rowTexts()[4]).toBe('        x');
  });

  test('with thousands of combining characters in a cell, from a build without the bound, is read and made anew', () => {
    const cells = `a${'\u0301'.repeat(6_000)}`.repeat(80 * 24);
    const old = Buffer.concat([Buffer.of(1), deflateRawSync(Buffer.from(cells))]);
    const screen = restored(old, new Screen({ cols: 80, rows: 24, scrollback: 10 }));
    const { packed, detail } = packCheckpoint(screen, { detail: 'whole', deflate: false });
    expect(detail).toBe('whole');
    expect(unpackCheckpoint(packed).length).toBeLessThan(80 * 24 * (1 + 2 * MAX_CELL_MARKS) + 1_000);
  });
});
