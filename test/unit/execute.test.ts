import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { stripPasteEnd } from '#dist/actors/paste.js';
import { builtInCliTypes, ExecuteBody } from '#dist/contract/execute.js';
import { keystrokesOf } from '#dist/gateway/keystrokes.js';

const cliTypes = { ...builtInCliTypes('linux'), mine: { submit: '\n', submitDelayMs: 7 } };
const typed = (body: unknown) => keystrokesOf(ExecuteBody.parse(body), cliTypes);

describe('keystrokes of a prompt', () => {
  test('a bracketed paste, then the submit keys of agent_a', () => {
    expect(typed({ prompt: 'hi' })).toEqual([{ data: '\x1b[200~hi\x1b[201~' }, { data: '\r', delayMs: 150 }]);
  });

  test.each([
    ['default', '\r', 0],
    ['agent_a', '\r', 150],
    ['agent_b', '\x1b\r', 150],
    ['agent_c', '\r', 150],
    ['agent_d', '\r', 150],
    ['mine', '\n', 7],
  ])('%s submits with %j after %i ms', (cliType, data, delayMs) => {
    expect(typed({ prompt: 'x', cliType })[1]).toEqual({ data, delayMs });
  });

  test('plain shells of Windows take CR LF', () => {
    expect(builtInCliTypes('win32').default).toEqual({ submit: '\r\n', submitDelayMs: 0 });
  });

  test('every kind of line end becomes one CR inside the paste', () => {
    expect(typed({ prompt: 'a\nb\r\nc\rd\n\ne' })[0]).toEqual({ data: '\x1b[200~a\rb\rc\rd\r\re\x1b[201~' });
  });

  test('without bracketed paste the prompt has no brackets', () => {
    expect(typed({ prompt: 'a\nb\x1b[201~', useBracketedPaste: false })[0]).toEqual({
      data: 'a\rb\x1b[201~',
    });
  });

  test('submissionSignal goes before the pattern and the built-in; if empty, it sends nothing', () => {
    const customPattern = { end_indicator: 'END' };
    expect(typed({ prompt: 'x', cliType: 'custom', customPattern, submissionSignal: '\x03' })[1]?.data).toBe(
      '\x03',
    );
    expect(typed({ prompt: 'x', cliType: 'agent_b', submissionSignal: '\r\r' })[1]?.data).toBe('\r\r');
    expect(typed({ prompt: 'x', submissionSignal: '' })).toEqual([{ data: '\x1b[200~x\x1b[201~' }]);
  });

  test('a custom pattern is its end indicator, after its separator', () => {
    const submit = (customPattern: unknown) =>
      typed({ prompt: 'x', cliType: 'custom', customPattern })[1]?.data;
    expect(submit({ end_indicator: 'END\r' })).toBe('END\r');
    expect(submit({ separator: '\n', end_indicator: 'END\r' })).toBe('\nEND\r');
  });

  test('other types ignore the pattern', () => {
    expect(typed({ prompt: 'x', cliType: 'default', customPattern: { end_indicator: 'END' } })[1]?.data).toBe(
      '\r',
    );
  });

  test('a wrong type is reported', () => {
    expect(() => typed({ prompt: 'x', cliType: 'nope' })).toThrow('Unknown CLI type: nope');
    expect(() => typed({ prompt: 'x', cliType: 'nope', submissionSignal: '\r' })).toThrow(
      'Unknown CLI type: nope',
    );
    expect(() => typed({ prompt: 'x', cliType: 'toString' })).toThrow('Unknown CLI type: toString');
    expect(() => typed({ prompt: 'x', cliType: 'custom' })).toThrow('customPattern is required');
  });
});

describe('no prompt can break out of the paste', () => {
  test.each([
    ['a\x1b[201~b', 'ab'],
    ['a\u009b201~b', 'ab'],
    ['\x1b[20\x1b[201~1~rm', 'rm'],
    ['\x1b[2\u009b201~01~', ''],
    ['\u009b20\x1b[201~1~', ''],
    ['201~ and [201~ stay', '201~ and [201~ stay'],
    ['\ufeff\x1b[201~é漢🙂', '\ufeffé漢🙂'],
  ])('%j -> %j', (text, rest) => {
    expect(stripPasteEnd(text)).toBe(rest);
  });

  test('no end marker is left: the result equals removing markers until none is left', () => {
    const pieces = fc.constantFrom('\x1b', '[', '\u009b', '2', '0', '1', '~', '20', '01~', '\x1b[201~', 'é');
    const simple = (text: string): string => {
      const less = text.replace(/(?:\x1b\[|\u009b)201~/, '');
      return less === text ? text : simple(less);
    };
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        const text = parts.join('');
        expect(stripPasteEnd(text)).toBe(simple(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('deep nesting takes linear time', () => {
    const depth = 500_000;
    expect(stripPasteEnd(`${'\x1b[20'.repeat(depth)}${'1~'.repeat(depth)}`)).toBe('');
  });
});

describe('the body', () => {
  test.each([{}, { prompt: '' }, { prompt: 5 }, { prompt: null }])('%j has no prompt', (body) => {
    const parsed = ExecuteBody.safeParse(body);
    expect(parsed.error?.issues[0]?.message).toBe('Prompt must be a non-empty string');
  });
});
