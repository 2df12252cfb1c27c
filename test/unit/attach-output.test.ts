import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withoutQuery } from '#dist/command/attach/queries.js';
import { Tokenizer } from '#dist/command/attach/tokens.js';

/** Returns the part of this output, in pieces, that reaches the outer terminal. */
function passed(...pieces: string[]): string {
  const tokenizer = new Tokenizer();
  return pieces
    .flatMap((piece) => tokenizer.take(piece))
    .map(withoutQuery)
    .join('');
}

const QUERIES = [
  ...['\x1b[c', '\x1b[0c', '\x1b[>c', '\x1b[=0c', '\x1bZ', '\x05', '\x9bc'],
  ...[
    '\x1b[5n',
    '\x1b[6n',
    '\x1b[?6n',
    '\x1b[?996n',
    '\x1b[4$p',
    '\x1b[?2026$p',
    '\x1b[>q',
    '\x1b[>0q',
    '\x1b[?u',
  ],
  ...[
    '\x1b[11t',
    '\x1b[14;2t',
    '\x1b[18t',
    '\x1b[21t',
    '\x1b[x',
    '\x1b[1$w',
    '\x1b[2$u',
    '\x1b[?4m',
    '\x1b[?1;1;0S',
  ],
  ...[
    '\x1b]4;1;?\x07',
    '\x1b]10;?\x1b\\',
    '\x1b]11;?\x07',
    '\x1b]12;?\x9c',
    '\x1b]52;c;?\x07',
    '\x9d11;?\x9c',
  ],
  ...[
    '\x1bP$qm\x1b\\',
    '\x1bP+q544e\x1b\\',
    '\x1b_Gi=31,s=1,v=1,a=q;AAAA\x1b\\',
    '\x1b]1337;ReportCellSize\x07',
  ],
  ...['\x1bP+Q666f6e74\x1b\\', '\x1bP@kitty-cmd{"cmd":"ls"}\x1b\\', '\x1b]701;?\x07', '\x1b]49;?\x07'],
  // No queries, but these make a terminal type by itself, or take it out of our hands.
  ...['\x1b[?2048h', '\x1b[?2l', '\x1b[2h'],
];

const OTHERS = [
  ...[
    'plain ünï 漢字 🎉\r\n',
    '\x1b[1;31m',
    '\x1b[?1049h',
    '\x1b[2J',
    '\x1b[>4;2m',
    '\x1b[>1u',
    '\x1b[<u',
    '\x1b[u',
  ],
  ...[
    '\x1b[ q',
    '\x1b[4 q',
    '\x1b[22;0t',
    '\x1b[8;24;80t',
    '\x1b[!p',
    '\x1b7',
    '\x1b(0',
    '\x1b[1;5$x',
    '\x07',
    '\x0e',
  ],
  ...[
    '\x1b]2;what?\x07',
    '\x1b]8;;http://x/?a=?\x1b\\',
    '\x1b]52;c;aGk=\x07',
    '\x1b]4;1;#fff\x07',
    '\x1b]133;A\x07',
  ],
  ...[
    '\x1bPq#0;2;0;0;0~-\x1b\\',
    '\x1b_Gq=2,a=T,f=24;AAAA\x1b\\',
    '\x1b^private\x1b\\',
    '\x1b[31\x18',
    '\x1b[1<m',
    '\x1b[>n',
  ],
];

const piece = fc.oneof(
  fc.constantFrom(...QUERIES),
  fc.constantFrom(...OTHERS),
  fc.string({ unit: 'binary-ascii', maxLength: 6 }),
);

/** Output, and the places at which it is cut. */
const cutOutput = fc
  .array(piece, { maxLength: 12 })
  .map((pieces) => pieces.join(''))
  .chain((output) => fc.tuple(fc.constant(output), fc.array(fc.nat(output.length), { maxLength: 8 })));

function cut(output: string, places: readonly number[]): string[] {
  const ends = [...new Set([...places, output.length])].sort((a, b) => a - b);
  return ends.map((end, index) => output.slice(ends[index - 1] ?? 0, end));
}

describe('the output for an outer terminal', () => {
  test.each(QUERIES)('is without the query %j', (query) => {
    expect(passed(`before${query}after`)).toBe('beforeafter');
    expect(passed(...`before${query}after`)).toBe('beforeafter');
  });

  test.each(OTHERS)('has %j as it is', (sequence) => {
    expect(passed(`before${sequence}after`)).toBe(`before${sequence}after`);
  });

  test('has all other modes of a sequence that sets an unwanted one', () => {
    expect(passed('\x1b[?1;2048;2004h', '\x1b[?2;7l', '\x1b[2;4h')).toBe('\x1b[?1;2004h\x1b[?7l\x1b[4h');
    expect(passed('\x1b[?2h', '\x1b[?2048l', '\x1b[2l')).toBe('\x1b[?2h\x1b[?2048l\x1b[2l');
  });

  test('asks for no acknowledgement of images', () => {
    expect(passed('\x1b_Ga=T,i=1,q=1,m=1;AA\x1b\\', '\x1b_Gm=0;AA\x1b\\')).toBe(
      '\x1b_Gq=2,a=T,i=1,m=1;AA\x1b\\\x1b_Gq=2,m=0;AA\x1b\\',
    );
    const long = `;${'A'.repeat(10_000)}\x1b\\`;
    expect(passed(`\x1b_Ga=T,i=1${long}`)).toBe(`\x1b_Gq=2,a=T,i=1${long}`);
  });

  test('loses nothing but queries', () => {
    const parts = fc.array(fc.tuple(fc.constantFrom(...OTHERS), fc.constantFrom(...QUERIES)), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(parts, (pairs) => {
        expect(passed(pairs.flat().join(''))).toBe(pairs.map(([other]) => other).join(''));
      }),
    );
  });

  test('is the same however it is cut', () => {
    fc.assert(
      fc.property(cutOutput, ([output, places]) => {
        expect(passed(...cut(output, places))).toBe(passed(output));
      }),
      { numRuns: 2_000 },
    );
  });

  test('has each character of random output that is no query, up to an unfinished sequence', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 40 }), (output) => {
        const tokenizer = new Tokenizer();
        const tokens = tokenizer.take(output);
        const raw = tokens.map((token) => token.raw).join('');
        expect(output.startsWith(raw)).toBe(true);
        // CAN ends any unfinished sequence.
        const rest = tokenizer.take('\x18');
        expect(raw + rest.map((token) => token.raw).join('')).toBe(`${output}\x18`);
      }),
      { numRuns: 2_000 },
    );
  });

  test('keeps controls within a query', () => {
    expect(passed('a\x1b[\r\n6nb')).toBe('a\r\nb');
    expect(passed('a\x1b\nZb')).toBe('a\nb');
    expect(passed('a\x1b\x05[31mb')).toBe('a\x1b[31mb');
  });

  test('passes a long string on before its end', () => {
    const image = `\x1bPq${'~'.repeat(100_000)}`;
    const tokenizer = new Tokenizer();
    expect(
      tokenizer
        .take(image)
        .map(({ raw }) => raw)
        .join(''),
    ).toBe(image);
    expect(tokenizer.isInside).toBe(true);
    expect(passed(image, '\x1b', '\\\x1b[6n.')).toBe(`${image}\x1b\\.`);
  });
});
