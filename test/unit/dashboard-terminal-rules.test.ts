import { describe, expect, it } from 'vitest';
import { withCommand } from '../../dashboard/src/terminal/command-list.js';
import { EscapeTwice } from '../../dashboard/src/terminal/escape-twice.js';
import { fontThatFits, fontThatFitsWidth, sizeThatFits } from '../../dashboard/src/terminal/fit.js';
import { isMisleading, linkTarget, wordsOfLink } from '../../dashboard/src/terminal/links.js';
import { clipboardText } from '../../dashboard/src/terminal/osc52.js';
import { pasteOf } from '../../dashboard/src/terminal/paste.js';
import type { Command } from '../../src/client/browser.js';

describe('a paste', () => {
  it('of one line is typed as it is', () => {
    expect(pasteOf('echo hi', false)).toMatchObject({ data: 'echo hi', lines: 1, question: undefined });
  });

  it('of several lines asks, unless the program takes it as one piece', () => {
    expect(pasteOf('a\nb\r\nc', false)).toMatchObject({ data: 'a\rb\rc', lines: 3, question: 'lines' });
    expect(pasteOf('a\nb', true)).toMatchObject({ data: '\x1b[200~a\rb\x1b[201~', question: undefined });
  });

  it('cannot end the brackets around it, nor hide control characters', () => {
    for (const end of ['\x1b[201~', '\x9b201~', '\x1b[20\x1b[201~1~', '\x1b\x1b[201~[201~']) {
      const inside = pasteOf(`a${end}rm`, true).data.slice('\x1b[200~'.length, -'\x1b[201~'.length);
      expect(inside).not.toMatch(/[\x1b\x9b]/);
    }
    expect(pasteOf('a\x03\x7f\tb', false).data).toBe('a\tb');
  });

  it('of more than 32 KiB asks, brackets or not', () => {
    expect(pasteOf('x'.repeat(32 * 1024), true).question).toBeUndefined();
    expect(pasteOf('x'.repeat(32 * 1024 + 1), true).question).toBe('large');
  });
});

describe('a link', () => {
  it.each(['http://a.example/', 'https://a.example/x?y#z', 'mailto:a@b.example'])('%s is opened', (uri) => {
    expect(linkTarget(uri)?.href).toBe(uri);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'ssh://host', 'no url', ''])(
    '%s is not opened',
    (uri) => {
      expect(linkTarget(uri)).toBeUndefined();
    },
  );

  it.each([
    ['www.good.example', 'http://evil.example/', true],
    ['https://good.example/path', 'https://good.example.evil.example/path', true],
    ['https://user@good.example', 'https://evil.example', true],
    ['good.example/x', 'https://www.good.example/y', false],
    ['click here', 'https://evil.example', false],
    ['src/main.ts', 'https://forge.example/src/main.ts', false],
  ])('%s that leads to %s is misleading: %s', (text, uri, expected) => {
    expect(isMisleading(text, linkTarget(uri)!)).toBe(expected);
  });

  it.each([
    ['https://good.example/x', 'opens https://good.example/x'],
    ['https://good.example@evil.example/', 'opens https://good.example@evil.example/ at evil.example'],
    [`https://good.example${'.x'.repeat(50)}.evil.example/`, 'x.evil.example'],
    ['https://g\u043e\u043ed.example/', 'opens https://xn--gd-fmca.example/'],
    ['javascript:alert(1)', 'not opened from here: javascript:alert(1)'],
  ])('%s is shown with the host that it leads to', (uri, words) => {
    expect(wordsOfLink(uri)).toContain(words);
  });
});

describe('OSC 52', () => {
  const encoded = (data: string | Uint8Array) => Buffer.from(data).toString('base64');

  it('gives the text that a program puts on the clipboard', () => {
    expect(clipboardText(`c;${encoded('größer\n')}`)).toBe('größer\n');
    expect(clipboardText(`;${encoded('x')}`)).toBe('x');
  });

  it.each([
    ['a read', 'c;?'],
    ['nothing', 'c;'],
    ['no base64', 'c;!!'],
    ['bytes that are no text', `c;${encoded(Uint8Array.of(255, 254))}`],
    ['control characters', `c;${encoded('a\x1b[31m')}`],
    ['more than 1 MiB', `c;${encoded('x'.repeat(1024 * 1024 + 3))}`],
  ])('refuses %s', (_what, data) => {
    expect(clipboardText(data)).toBeUndefined();
  });
});

describe('Escape', () => {
  const press = (keys: EscapeTwice, timeStamp: number, key = 'Escape', repeat = false) =>
    keys.press({ key, timeStamp, repeat });

  it('twice within 300 ms leaves, and begins anew', () => {
    const keys = new EscapeTwice();
    expect([0, 299, 400].map((at) => press(keys, at))).toEqual([false, true, false]);
  });

  it('does not leave if it is slow, held down, or another key is between', () => {
    const keys = new EscapeTwice();
    expect([press(keys, 0), press(keys, 300)]).toEqual([false, false]);
    expect(press(keys, 310, 'Escape', true)).toBe(false);
    expect(press(keys, 320, 'j')).toBe(false);
    expect(press(keys, 330)).toBe(false);
  });
});

describe('the font', () => {
  const cellAt = (font: number) => ({ width: font * 0.6, height: Math.ceil(font * 1.2) });

  it('is the largest in which the terminal fits, from 6 to 18 px', () => {
    const size = { cols: 100, rows: 30 };
    const font = fontThatFits({ width: 800, height: 800 }, size, cellAt);
    expect(cellAt(font).width * 100 + 14).toBeLessThanOrEqual(800);
    expect(cellAt(font + 0.25).width * 100 + 14).toBeGreaterThan(800);
    expect(fontThatFits({ width: 100, height: 100 }, size, cellAt)).toBe(6);
    expect(fontThatFits({ width: 9_000, height: 9_000 }, size, cellAt)).toBe(18);
  });

  it('heeds the width alone on a phone', () => {
    expect(fontThatFitsWidth({ width: 800, height: 10 }, { cols: 100, rows: 30 }, cellAt)).toBeGreaterThan(6);
  });

  it('of 13 px decides the size that fills the pane', () => {
    expect(sizeThatFits({ width: 794, height: 160 }, cellAt)).toEqual({ cols: 100, rows: 10 });
    expect(sizeThatFits({ width: 0, height: 0 }, cellAt)).toEqual({ cols: 2, rows: 1 });
  });
});

describe('the list of commands', () => {
  const command = (id: string, startedAt: number, exitCode: number | null = null) =>
    ({ id, startedAt, exitCode }) as Command;

  it('has each command once, newest first, and is bounded', () => {
    const list = withCommand([command('b', 2), command('a', 1)], command('a', 1, 0), 2);
    expect(list).toEqual([command('b', 2), command('a', 1, 0)]);
    expect(withCommand(list, command('c', 3), 2).map(({ id }) => id)).toEqual(['c', 'b']);
  });
});
