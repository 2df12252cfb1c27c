import { createRequire } from 'node:module';
import type { Terminal } from '@xterm/headless';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TITLE_BYTES, MAX_TITLE_CHARS } from '#dist/contract/limits.js';
import { SignScanner } from '#dist/workers/shard/stages/sign-scanner.js';
import { titleOf } from '#dist/workers/shard/stages/title.js';
import { cutUp } from '../support/cut-up.js';

const headless = createRequire(import.meta.url)('@xterm/headless') as { Terminal: typeof Terminal };

const text = fc.string({
  unit: fc.constantFrom('a', ' ', ';', ']', '\\', '0', 'é', '日', '😀', '\n'),
  maxLength: 5,
});

/**
 * Parts of output that begin, end or continue each kind of sequence. SOS, PM and APC with letters beyond ASCII are left
 * out, since such letters end them in xterm.
 */
const part = fc.oneof(
  fc.constantFrom(
    '\x07',
    '\x1b',
    '\x1b\\',
    '\u009c',
    '\x18',
    '\x1a',
    '\r\n',
    '\x1b\x07',
    'plain',
    ';',
    '2;',
    ']',
    '0',
  ),
  fc.constantFrom('\x1b]', '\x1b]0;', '\x1b]2;', '\x1b]1;', '\x1b]8;;http://a', '\x1b]133;A'),
  fc.constantFrom(
    '\x1bPq',
    '\x1b_',
    '\x1b^',
    '\x1bX',
    '\x1b[31m',
    '\x1b[',
    '\x1b(',
    '\x1bc',
    ']0;',
    ']2;no',
    ']2',
  ),
  fc
    .tuple(fc.constantFrom('0', '2'), text, fc.constantFrom('\x07', '\x1b\\', '\u009c'))
    .map(([number, title, end]) => `\x1b]${number};${title}${end}`),
);
const pieces = fc
  .tuple(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 10 }))
  .map(([parts, cuts]) => cutUp(Buffer.from(parts.join('')), cuts));

/** Resolves with the bell and the title that xterm reports for each piece. */
async function xtermSigns(all: Buffer[]): Promise<{ rang: boolean; title: string | undefined }[]> {
  const xterm = new headless.Terminal({ allowProposedApi: true });
  let rang = false;
  let title: string | undefined;
  xterm.onBell(() => {
    rang = true;
  });
  xterm.onTitleChange((text) => {
    title = text;
  });
  const signs = [];
  for (const piece of all) {
    [rang, title] = [false, undefined];
    await new Promise<void>((resolve) => xterm.write(piece, resolve));
    signs.push({ rang, title: title === undefined ? undefined : titleOf(Buffer.from(title)) });
  }
  xterm.dispose();
  return signs;
}

const scanned = (...texts: string[]) => {
  const scanner = new SignScanner();
  return texts.map((text) => {
    const { rang, title } = scanner.scan(Buffer.from(text));
    return { rang, title: title && titleOf(title) };
  });
};

describe('titles and bells', () => {
  it('are those of xterm, wherever the output is cut', async () => {
    await fc.assert(
      fc.asyncProperty(pieces, async (all) => {
        const scanner = new SignScanner();
        const signs = all.map((piece) => {
          const { rang, title } = scanner.scan(piece);
          return { rang, title: title && titleOf(title) };
        });
        expect(signs).toEqual(await xtermSigns(all));
      }),
      {
        numRuns: 300,
        // xterm ignores control characters within the number of a title.
        examples: [[[Buffer.from('\x1b]\r\n2;\x1b'), Buffer.from(']\n0\r;\x07')]]],
      },
    );
  });

  it('a BEL that ends a sequence rings not, and another one does', () => {
    expect(scanned('\x1b]0;one\x07', '\x1b]2;tw', 'o\x07', '\x07')).toEqual([
      { rang: false, title: 'one' },
      { rang: false, title: undefined },
      { rang: false, title: 'two' },
      { rang: true, title: undefined },
    ]);
  });

  it('the string terminator ends a sequence as one character, too, wherever it is cut', () => {
    expect(scanned('\x1b]2;one\u009ctext\x07')).toEqual([{ rang: true, title: 'one' }]);
    const scanner = new SignScanner();
    const signs = [...Buffer.from('\x1b]2;é\u009c\x1bPq\u009c\x07')].map((byte) =>
      scanner.scan(Buffer.of(byte)),
    );
    const titles = signs.flatMap(({ title }) => (title ? [titleOf(title)] : []));
    expect([titles, signs.map(({ rang }) => rang).indexOf(true)]).toEqual([['é'], signs.length - 1]);
  });

  it('the last title of a piece counts, and an empty one is a title', () => {
    expect(scanned('\x1b]0;one\x07\x1b]0;two\x1b\\', '\x1b]0;\x07')).toEqual([
      { rang: false, title: 'two' },
      { rang: false, title: '' },
    ]);
  });

  it('a title is one line without control characters, and bounded', () => {
    expect(titleOf(Buffer.from('a\nb\u0085c\u202ed\u2028e\u2066f'))).toBe('abcdef');
    const long = '😀'.repeat(MAX_TITLE_BYTES);
    const [sign] = scanned(`\x1b]0;${long}\x07`);
    expect(sign?.title).toBe('😀'.repeat(MAX_TITLE_CHARS / 2));
    expect(scanned(`\x1b]0;x${long}\x07`)[0]?.title).toBe(`x${'😀'.repeat(MAX_TITLE_CHARS / 2 - 1)}`);
  });
});
