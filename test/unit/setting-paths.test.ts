import { describe, expect, test } from 'vitest';
import { changeOf, parsedValue, settingAt } from '#dist/command/setting-paths.js';

const SETTINGS = { terminals: { scrollback: 5, defaultProfile: 'zsh' }, cliTypes: {}, list: ['a'] };

describe('a setting', () => {
  test('is found by its path', () => {
    expect(settingAt(SETTINGS, 'terminals.scrollback')).toBe(5);
    expect(settingAt(SETTINGS, 'terminals')).toEqual(SETTINGS.terminals);
    expect(settingAt(SETTINGS, 'list')).toEqual(['a']);
  });

  test.each([
    ['nothing', 'There are: terminals, cliTypes, list'],
    ['terminals.rows', 'There are: terminals.scrollback, terminals.defaultProfile'],
    ['terminals.scrollback.x', 'terminals.scrollback is one setting'],
    ['list.0', 'list is one setting'],
    ['toString', 'There are: terminals, cliTypes, list'],
  ])('%s is none, and the error says what is there', (path, fix) => {
    const none = expect.objectContaining({ code: 'setting-not-found', exitCode: 3, fix });
    expect(() => settingAt(SETTINGS, path)).toThrow(none);
  });

  test.each(['', '.', 'terminals.', '.terminals', 'a..b'])('%j is no path', (path) => {
    expect(() => settingAt(SETTINGS, path)).toThrow(expect.objectContaining({ exitCode: 2 }));
    expect(() => changeOf(path, 1)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test('is changed without its neighbours, whatever its name', () => {
    expect(changeOf('terminals.scrollback', 7)).toEqual({ terminals: { scrollback: 7 } });
    expect(JSON.stringify(changeOf('__proto__.x', true))).toBe('{"__proto__":{"x":true}}');
  });

  test('has the value that JSON says, else the text', () => {
    expect(['5', 'true', 'null', '["a"]', '"5"', 'zsh', '', '0x5', '{'].map(parsedValue)).toEqual([
      ...[5, true, null, ['a'], '5', 'zsh', '', '0x5', '{'],
    ]);
  });
});
