import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { GlobalFonts } from '@napi-rs/canvas';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { charactersOf } from '#dist/workers/jobs/screenshot/fonts/character-map.js';
import { Fonts } from '#dist/workers/jobs/screenshot/fonts/fonts.js';
import { facesIn, fontFolders, ifFont } from '#dist/workers/jobs/screenshot/fonts/machine.js';
import { facesOf } from '#dist/workers/jobs/screenshot/fonts/sfnt.js';
import { drawPicture } from '#dist/workers/jobs/screenshot/picture.js';
import { ShownScreen } from '#dist/workers/jobs/screenshot/shown-screen.js';
import { type DrawingKit, loadKit } from '#dist/workers/jobs/screenshot/skia/kit.js';
import { fontFile, nameTable, tablesOf } from '../support/font-file.js';
import { Picture } from '../support/picture.js';

const kit = await loadKit();
const bundled = join(dirname(createRequire(import.meta.url).resolve('dejavu-fonts-ttf/package.json')), 'ttf');
/** A font with letters of mathematics that the pictures' own fonts lack. */
const math = tablesOf(readFileSync(join(bundled, 'DejaVuMathTeXGyre.ttf')));
const SCRIPT = '\u{1d49c}\u{1d49e}';
const [ENGLISH, JAPANESE] = [0x409, 0x411];

const folder = mkdtempSync(join(tmpdir(), 'at-fonts-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => {
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
});

/** Returns the tables of {@link math} with these tables in place of its own. */
const changed = (tables: Record<string, Buffer>) => new Map([...math, ...Object.entries(tables)]);
const named = (family: string) => changed({ name: nameTable([3, ENGLISH, 1, family]) });
const kitFor = (): DrawingKit => ({ skia: kit.skia, fonts: new Fonts(kit.skia, [folder]) });

/** The pixels of each column of a row of text, two columns for each wide character. */
async function columns(text: string, using = kit): Promise<string[]> {
  const screen = new ShownScreen(text, 20, 1);
  try {
    const picture = await Picture.read(drawPicture(using, screen, false));
    const pixels = (col: number) =>
      Array.from({ length: 19 * 9 }, (_, at) => picture.at(col, 0, at % 9, Math.floor(at / 9))).join();
    return Array.from({ length: 20 }, (_, col) => pixels(col));
  } finally {
    screen.dispose();
  }
}

/** Whether the two letters of mathematics are drawn differently, with the fonts of the folder. */
async function isScriptDrawn(using = kitFor()): Promise<boolean> {
  const [one, other] = await columns(SCRIPT, using);
  return one !== other;
}

describe('fonts of the machine', () => {
  const hasFamily = (name: RegExp) => GlobalFonts.families.some(({ family }) => name.test(family));

  test('are those that another library finds', () => {
    const found = facesIn(fontFolders()).map(({ family }) => family);
    // The fonts that another test of this process has registered are left out.
    const others = GlobalFonts.families.map(({ family }) => family).filter((name) => !/^Oracle /.test(name));
    // The other library lists only the first font of a collection.
    expect(found).toEqual(expect.arrayContaining(others));
  });

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
    expect(await isScriptDrawn()).toBe(false);
    mkdirSync(join(folder, 'deep/er'), { recursive: true });
    writeFileSync(join(folder, 'deep/er/font.TTF'), fontFile(named('Noto Sans CJK HK')));
    expect(await isScriptDrawn()).toBe(true);
  });

  test('a family of another kind does not', async () => {
    writeFileSync(join(folder, 'font.ttf'), fontFile(named('Some Serif')));
    expect(await isScriptDrawn()).toBe(false);
  });

  test('a later face of a collection draws, and so does a font by way of a link', async () => {
    const collection = fontFile(named('Some Serif'), named('Noto Sans CJK HK'));
    writeFileSync(join(folder, 'font.ttc'), collection);
    expect(await isScriptDrawn()).toBe(true);
    rmSync(join(folder, 'font.ttc'));
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere/font'), collection);
    symlinkSync(join(folder, 'elsewhere/font'), join(folder, 'link.ttc'));
    expect(await isScriptDrawn()).toBe(true);
  });

  test('the regular face of a family is used, wherever it lies', async () => {
    const style = math.get('OS/2')!;
    const black = Buffer.from(style);
    black.writeUInt16BE(900, 4);
    const tables = named('Noto Sans CJK HK');
    const [one, other] = [
      new Map([...tables, ['OS/2', black] as const, ['cmap', Buffer.alloc(4)] as const]),
      tables,
    ];
    writeFileSync(join(folder, 'a.ttf'), fontFile(one));
    writeFileSync(join(folder, 'b.ttf'), fontFile(other));
    expect(await isScriptDrawn()).toBe(true);
  });

  test.each([
    ['in English', [[3, ENGLISH, 1, 'Noto Sans CJK HK']]],
    [
      'in English, whatever is named before',
      [
        [3, JAPANESE, 1, 'Serif'],
        [3, ENGLISH, 1, 'Noto Sans CJK HK'],
      ],
    ],
    [
      'of all weights rather than of one',
      [
        [3, ENGLISH, 1, 'Serif Light'],
        [3, ENGLISH, 16, 'Noto Sans CJK HK'],
      ],
    ],
    ['as old Macs have it', [[1, 0, 1, 'Noto Sans CJK HK']]],
    ['of Unicode', [[0, 0, 1, 'Noto Sans CJK HK']]],
  ] as [string, [number, number, number, string][]][])('the name of a family is read: %s', (_name, names) => {
    writeFileSync(join(folder, 'font.ttf'), fontFile(changed({ name: nameTable(...names) })));
    expect(facesIn([folder]).map(({ family }) => family)).toEqual(['Noto Sans CJK HK']);
  });
});

describe('files that are no fonts', () => {
  const whole = fontFile(named('Noto Sans CJK HK'));
  const namesFrom = (count: number, offset: number) => {
    const table = Buffer.from(nameTable([3, ENGLISH, 1, 'Noto Sans CJK HK']));
    table.writeUInt16BE(count, 2);
    table.writeUInt16BE(offset, 16);
    return table;
  };

  test.each([
    ['empty', Buffer.alloc(0)],
    ['text', Buffer.from('This is no font at all.')],
    ['a collection of very many', Buffer.from('ttcf\0\x01\0\0\xff\xff\xff\xff', 'latin1')],
    ['with more tables than it has', Buffer.from('\0\x01\0\0\xff\xff\0\0\0\0\0\0', 'latin1')],
    ['cut within the directory', whole.subarray(0, 40)],
    ['cut within the tables', whole.subarray(0, whole.length >> 1)],
    ['with more names than it has', fontFile(changed({ name: namesFrom(60_000, 0) }))],
    ['with a name outside', fontFile(changed({ name: namesFrom(1, 60_000) }))],
    ['without names', fontFile(changed({ name: Buffer.alloc(3) }))],
    ['without characters', fontFile(new Map([...named('Noto Sans CJK HK'), ['cmap', Buffer.alloc(2)]]))],
  ])('are passed over: %s', async (_name, bytes) => {
    writeFileSync(join(folder, 'broken.ttf'), bytes);
    symlinkSync(folder, join(folder, 'loop'));
    symlinkSync(join(folder, 'nothing'), join(folder, 'gone.ttf'));
    expect(await isScriptDrawn()).toBe(false);
  });

  test('a map of characters with any bytes gives an answer for each character', () => {
    let seed = 1;
    const random = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed;
    };
    const path = join(folder, 'font.ttf');
    for (let round = 0; round < 300; round++) {
      const cmap = Buffer.from(math.get('cmap')!);
      for (let change = 0; change < 40; change++) {
        // Most changes are where the table has its lengths and places.
        const at = random() % (change < 30 ? 64 : cmap.length);
        cmap[at] = random() & 0xff;
      }
      writeFileSync(path, fontFile(new Map([['cmap', cmap]])));
      const has = ifFont(() => charactersOf(facesOf(path)[0]!));
      for (const char of ['\u{1d49c}', '中', '\u{10ffff}', '\uffff', '\0'])
        if (has) expect(typeof has(char.codePointAt(0)!)).toBe('boolean');
    }
  });
});
