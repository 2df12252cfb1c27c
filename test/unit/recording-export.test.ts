import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ansiToHtml, endOfHtml, firstAnsiState } from '../../src/workers/jobs/export/ansi-html.js';
import { renderAsciicast } from '../../src/workers/jobs/export/asciicast.js';
import { firstProgress } from '../../src/workers/jobs/export/renderer.js';

const html = (text: string, cols?: number) => {
  const state = firstAnsiState(cols);
  return ansiToHtml(text, state) + endOfHtml(state);
};

describe('output as HTML', () => {
  test.each([
    ['text is escaped', `<b>&"'</b>`, '&#60;b&#62;&#38;&#34;&#39;&#60;/b&#62;'],
    ['colours', '\x1b[31mred\x1b[0m plain', '<span style="color:#cd3131">red</span> plain'],
    ['bright and background', '\x1b[92;44mx', '<span style="color:#23d18b;background:#2472c8">x</span>'],
    [
      '256 colours',
      '\x1b[38;5;196mx\x1b[38;5;244my',
      '<span style="color:#ff0000">x</span><span style="color:#808080">y</span>',
    ],
    ['true colour', '\x1b[38;2;1;2;300;1mx', '<span style="color:#0102ff;font-weight:bold">x</span>'],
    [
      'colon forms',
      '\x1b[38:2::10:20:30m\x1b[4:3mx\x1b[4:0my',
      '<span style="color:#0a141e;text-decoration:underline">x</span><span style="color:#0a141e">y</span>',
    ],
    ['underline colour', '\x1b[58;5;1;3mx', '<span style="font-style:italic">x</span>'],
    ['inverse', '\x1b[7mx\x1b[27my', '<span style="color:#0d1117;background:#d7dce2">x</span>y'],
    [
      'a style is taken away',
      '\x1b[1;4;9mx\x1b[22;29my\x1b[mz',
      '<span style="font-weight:bold;text-decoration:underline line-through">x</span><span style="text-decoration:underline">y</span>z',
    ],
    ['other sequences are dropped', 'a\x1b[2J\x1b[1;5H\x1b(B\x1b[?25l\x1b[>4;1mb\x1b7c', 'abc'],
    [
      'titles and links are dropped',
      'a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\c\x1bPq#0\x1b\\d',
      'ablinkcd',
    ],
    ['C1 forms', 'a\x9b31mb\x9d0;t\x9cc', 'a<span style="color:#cd3131">bc</span>'],
    ['line ends', 'a\r\nb\r\r\nc\rd\n', 'a\nb\nc\nd\n'],
    ['controls are dropped', 'a\0\x07\x7f\x85\tb', 'a\tb'],
    [
      'what bash prints around a line that is typed',
      '\x1b[?2004h$ ls\r\n\x1b[?2004l\rfile\r\n\x1b[?2004h$ ',
      '$ ls\nfile\n$ ',
    ],
    ['a return on an empty line', '\r\rone\r\n\r\n\r\rtwo', 'one\n\ntwo'],
    ['backspaces', 'lx\bs -a\b \b\b \b-l', 'ls -l'],
    ['backspaces before the line begins', '\b\bab\b\b\bx', 'xb'],
    ['a correction in the middle', 'echo hllo\x1b[3D\x1b[1@e\x1b[C\x1b[C\x1b[C!', 'echo hello!'],
    ['what is erased to the end of the line', '$ wrong\b\b\b\b\b\x1b[Kright', '$ right'],
    ['deleted and blanked characters', 'abcdef\x1b[4D\x1b[2P\x1b[X', 'ab f'],
    ['wide characters take two backspaces', '中文\b\bx', '中x'],
    ['half of a wide character that is typed over', '中文c\b\b\bx', '中x c'],
    ['several marks in the midst of a wide character', '中文\b\u0301\u0300', '中 \u0301\u0300 '],
    [
      'a colour that is typed over',
      '\x1b[31mred\b\b\x1b[mx',
      '<span style="color:#cd3131">r</span>x<span style="color:#cd3131">d</span>',
    ],
    [
      'what fish prints for each key that is typed',
      '# \x1b[K\r\x1b[2Ce\r\x1b[3Ccho hi\r\x1b[3C\be\x1b[31mcho hi\r\x1b[3C\x1b[mc\x1b[31mho hi\r\x1b[4C\x1b[m\x1b[K',
      '# ec',
    ],
    ['a column, counted from 1', 'abc\x1b[2Gx\x1b[9Gy\x1b[1Gz', 'axc     y\nz'],
    ['a column behind the end', 'left\r\x1b[9Cright\r\n\r\x1b[2Cthird', 'left     right\n  third'],
    ['a column of a wrapped row', `${'a'.repeat(80)}bcd\r\x1b[1Cx`, `${'a'.repeat(80)}bxd`],
    ['a column that is too far back', `${'a'.repeat(600)}\r\x1b[Cx`, `${'a'.repeat(600)}\nx`, 1_000],
    ['a column of a full row', `${'a'.repeat(80)}\r\x1b[1Cx`, `ax${'a'.repeat(78)}`],
    ['a progress that overwrites itself', '1 %\x1b[2K\x1b[1G2 %\x1b[2K\r\x1b[Kdone', '1 %\n2 %\ndone'],
    [
      'what zsh prints before a prompt',
      `end\r\n\x1b[1m\x1b[7m%\x1b[27m\x1b[1m\x1b[0m${' '.repeat(79)}\r \r\r\x1b[0m\x1b[J$ `,
      'end\n$ ',
    ],
    ['what fish prints before a prompt', `end\r\n\x1b[2m⏎\x1b[m${' '.repeat(79)}\r⏎ \r\x1b[K$ `, 'end\n$ '],
    [
      'one character that is overwritten',
      '3\r2\rx \x1b[44m \x1b[m\rgo',
      '3\n2\nx <span style="background:#2472c8"> </span>\ngo',
    ],
    ['nothing of the line before', 'one\r\n\b\btwo', 'one\ntwo'],
    ['what no page may hold', 'a\ud800\uffff\ufdd0\u{1ffff}b🙂', 'a\ufffd\ufffd\ufffd\ufffdb🙂'],
    ['a colour is no way out of its attribute', '\x1b[38;5;1;"<>=mx', 'x'],
  ])('%s', (_, text, expected, cols?: number) => expect(html(text, cols)).toBe(expected));

  it('is the same wherever the output is cut', () => {
    const piece = fc.oneof(
      fc
        .string({
          unit: fc.oneof(
            fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
            fc.constantFrom('中', '\u0301', '\b'),
          ),
          maxLength: 8,
        })
        .map((text) => text.replace(/\p{Cs}/gu, '')),
      fc.constantFrom(
        '\x1b[31m',
        '\x1b[0m',
        '\x1b[1;38;5;200m',
        '\x1b]0;t\x07',
        '\x1bP1\x1b\\',
        '\r\n',
        '\r',
        '\b',
        '\x1b[2D',
        '\x1b[K',
        '\x1b[P',
        '\r\x1b[3C',
        '\x1b[4G',
        '\x1b(B',
        '\x1bc',
      ),
    );
    const joined = (whole: string) =>
      whole.replace(/<\/span><span style="[^"]*">/g, '').replace(/<[^>]*>/g, '');
    fc.assert(
      fc.property(fc.array(piece), fc.array(fc.nat(60)), (pieces, cuts) => {
        // Slices are cut between events, which never cut a character.
        const chars = [...pieces.join('')];
        const state = firstAnsiState();
        let cut = '';
        let at = 0;
        for (const size of [...cuts, chars.length]) {
          cut += ansiToHtml(chars.slice(at, at + size).join(''), state);
          at += size;
        }
        cut += endOfHtml(state);
        expect(joined(cut)).toBe(joined(html(chars.join(''))));
      }),
      { numRuns: 2_000 },
    );
  });
});

it('gives asciicast the output and the marks, each at its second', () => {
  const events = (['output', 'input', 'mark', 'resize'] as const).map((event_type, at) => ({
    ...{ event_type, data: event_type, timestamp: at * 1_500 },
  }));
  expect(renderAsciicast.render(events, firstProgress())).toBe('[0,"o","output"]\n[3,"m","mark"]\n');
});
