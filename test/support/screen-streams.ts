import fc from 'fast-check';
import type { Size, Step } from './screen-pair.js';

const ESC = '\x1b';

/** Mostly small counts, and the limits of handlers. */
const count = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 6 }) },
  { weight: 1, arbitrary: fc.constantFrom(9, 20, 99, 1000, 2147483647) },
);
const color = fc.integer({ min: 0, max: 255 });

const text = fc.oneof(
  { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 12 }).map((s) => s.replace(/[^ -~]/g, 'x')) },
  {
    weight: 6,
    arbitrary: fc
      .array(
        fc.constantFrom(
          'a',
          ' ',
          'é',
          'e\u0301',
          '中',
          '한',
          '\u0301',
          '\u200d',
          '\ufe0f',
          '👩',
          '👩\u200d💻',
          '🇩🇪',
          '─',
          'ｗ',
          '~',
          '[',
          'q',
          '\u00a0',
          '\u{1f3fb}',
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((parts) => parts.join('')),
  },
  { weight: 1, arbitrary: fc.integer({ min: 5, max: 40 }).map((n) => 'lorem ipsum '.repeat(5).slice(0, n)) },
);

const control = fc.constantFrom('\r\n', '\n', '\r', '\b', '\t', '\x07', '\x0b', '\x0e', '\x0f', '\x7f', '\0');

const sgrPart = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '1',
    '2',
    '3',
    '4',
    '5',
    '7',
    '8',
    '9',
    '21',
    '22',
    '23',
    '24',
    '25',
    '27',
    '28',
    '29',
    '53',
    '55',
    '39',
    '49',
    '59',
    '4:0',
    '4:1',
    '4:2',
    '4:3',
    '4:4',
    '4:5',
    '100',
  ),
  fc.integer({ min: 30, max: 37 }).map(String),
  fc.integer({ min: 40, max: 47 }).map(String),
  fc.integer({ min: 90, max: 107 }).map(String),
  fc.tuple(fc.constantFrom(38, 48, 58), color).map(([p, n]) => `${p};5;${n}`),
  fc.tuple(fc.constantFrom(38, 48, 58), color).map(([p, n]) => `${p}:5:${n}`),
  fc.tuple(fc.constantFrom(38, 48, 58), color, color, color).map(([p, r, g, b]) => `${p};2;${r};${g};${b}`),
  fc.tuple(fc.constantFrom(38, 48, 58), color, color, color).map(([p, r, g, b]) => `${p}:2::${r}:${g}:${b}`),
);
const sgr = fc.array(sgrPart, { minLength: 1, maxLength: 3 }).map((parts) => `${ESC}[${parts.join(';')}m`);

const counted = fc
  .tuple(count, fc.constantFrom(...'@ABCDEFGILMPSTXZ`abde'.split(''), ' @', ' A', "'}", "'~"))
  .map(([n, final]) => `${ESC}[${n || ''}${final}`);
const position = fc.tuple(count, count).map(([row, col]) => `${ESC}[${row};${col}H`);
const erase = fc
  .tuple(fc.constantFrom('', '?'), fc.constantFrom('', '0', '1', '2', '3'), fc.constantFrom('J', 'K'))
  .map((parts) => `${ESC}[${parts.join('')}`);
const margins = fc.tuple(count, count).map(([top, bottom]) => `${ESC}[${top};${bottom}r`);
const mode = fc
  .tuple(
    fc.constantFrom(
      '4',
      '20',
      '?1',
      '?6',
      '?7',
      '?7',
      '?12',
      '?25',
      '?45',
      '?66',
      '?9',
      '?1000',
      '?1002',
      '?1003',
      '?1004',
      '?1006',
      '?1016',
      '?2004',
      '?2026',
      '?2',
    ),
    fc.constantFrom('h', 'l'),
  )
  .map((parts) => `${ESC}[${parts.join('')}`);
const buffer = fc
  .tuple(fc.constantFrom('?47', '?1047', '?1048', '?1049'), fc.constantFrom('h', 'l'))
  .map((parts) => `${ESC}[${parts.join('')}`);
const charset = fc.oneof(
  fc
    .tuple(fc.constantFrom('(', ')', '*', '+', '-', '.'), fc.constantFrom(...'0AB4C5RQKYE6ZH7='.split('')))
    .map(([set, final]) => `${ESC}${set}${final}`),
  fc.constantFrom(`${ESC}n`, `${ESC}o`, `${ESC}|`, `${ESC}}`, `${ESC}~`, `${ESC}%G`, `${ESC}%@`),
);
const single = fc.constantFrom(
  `${ESC}7`,
  `${ESC}8`,
  `${ESC}7`,
  `${ESC}8`,
  `${ESC}[s`,
  `${ESC}[u`,
  `${ESC}D`,
  `${ESC}E`,
  `${ESC}H`,
  `${ESC}M`,
  `${ESC}=`,
  `${ESC}>`,
  `${ESC}#8`,
  `${ESC}[!p`,
  `${ESC}[g`,
  `${ESC}[3g`,
  `${ESC}[1"q`,
  `${ESC}[0"q`,
  '\u0085',
  '\u0084',
  '\u0088',
  '\u009b1m',
  `${ESC}c`,
);
const cursorStyle = fc.integer({ min: 0, max: 8 }).map((style) => `${ESC}[${style} q`);
const link = fc
  .tuple(
    fc.constantFrom('', '', 'id=a', 'id=b '),
    fc.constantFrom('', 'http://a', 'http://b;c', 'x'),
    fc.constantFrom('\x07', `${ESC}\\`),
  )
  .map(([params, uri, end]) => `${ESC}]8;${uri && params};${uri}${end}`);
const osc = fc
  .tuple(
    fc.constantFrom('0', '1', '2', '9', '52', '4;1', '10', '11'),
    fc.constantFrom('', 'title', 'tïtle 中', '?', 'rgb:12/34/56'),
    fc.constantFrom('\x07', `${ESC}\\`, '\u009c', '\x18'),
  )
  .map(([number, value, end]) => `${ESC}]${number};${value}${end}`);
const odd = fc.constantFrom(
  `${ESC}[?1?m`,
  `${ESC}[1:2:3x`,
  `${ESC}P$qm${ESC}\\`,
  `${ESC}P1;2|abc\x18`,
  `${ESC}_apc${ESC}\\`,
  `${ESC}Xsos\u009c`,
  `${ESC}^pm\u009c`,
  `${ESC}[2\n3m`,
  `${ESC}]2;a\x1aterm`,
  `${ESC}[c`,
  `${ESC}[6n`,
  `${ESC}[?2026$p`,
  `${ESC}[>q`,
  `${ESC}[?u`,
);

const output = fc.oneof(
  { weight: 14, arbitrary: text },
  { weight: 6, arbitrary: control },
  { weight: 6, arbitrary: sgr },
  { weight: 6, arbitrary: counted },
  { weight: 4, arbitrary: position },
  { weight: 3, arbitrary: erase },
  { weight: 2, arbitrary: margins },
  { weight: 4, arbitrary: mode },
  { weight: 2, arbitrary: buffer },
  { weight: 2, arbitrary: charset },
  { weight: 4, arbitrary: single },
  { weight: 1, arbitrary: cursorStyle },
  { weight: 3, arbitrary: link },
  { weight: 1, arbitrary: osc },
  { weight: 1, arbitrary: odd },
);

const size: fc.Arbitrary<Size> = fc.record({
  cols: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 7, max: 24 })),
  rows: fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 8 })),
});

/** Returns steps of any kind of output, with an occasional resize. */
export function steps(maxLength: number): fc.Arbitrary<Step[]> {
  const step: fc.Arbitrary<Step> = fc.oneof(
    { weight: 24, arbitrary: output },
    { weight: 1, arbitrary: size },
  );
  return fc.array(step, { minLength: 1, maxLength });
}

/** A whole session: the steps before the copy, the cut in the last output, and the steps after the copy. */
export interface Session {
  size: Size;
  scrollback: number;
  before: Step[];
  /** Bytes that the last step of `before` lacks when the copy is made. */
  cut: number;
  after: Step[];
}

export const session: fc.Arbitrary<Session> = fc.record({
  size,
  scrollback: fc.constantFrom(0, 1, 3, 30),
  before: steps(30),
  cut: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 6 }) },
  ),
  after: steps(12),
});
