import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import {
  Content,
  internals,
  NULL_CONTENT,
  ParserAction,
  ParserState,
} from '../../src/workers/shard/screen/xterm/internals.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';

// All these tests must be reviewed for another version of xterm.
test('the version of xterm is the reviewed one', () => {
  const entry = createRequire(import.meta.url).resolve('@xterm/headless');
  const manifest = readFileSync(new URL('../package.json', `file://${entry}`), 'utf8');
  expect(JSON.parse(manifest).version).toBe('6.0.0');
});

test('the internals that are read have the expected shapes', () => {
  const term = createTerminal(10, 3, 5);
  const core = internals(term);
  writeSync(term, 'e\u0301中\x1b[4:3;58:5:9;31mx\x1b]8;id=i;http://u\x07y\x1b]0;title\x07\x1b(0');
  const { normal, alt, active } = core.buffers;
  expect([core.cols, core.rows, active === normal, alt.lines.length]).toEqual([10, 3, true, 0]);
  expect([normal.x, normal.y, normal.ybase, normal.ydisp]).toEqual([5, 0, 0, 0]);
  expect([normal.lines.length, normal.lines.maxLength]).toEqual([3, 8]);
  expect([normal.scrollTop, normal.scrollBottom, normal.savedX, normal.savedY]).toEqual([0, 2, 0, 0]);
  expect(normal.tabs).toEqual({ 0: true, 8: true });
  expect(normal.savedCurAttrData).toMatchObject({ fg: 0, bg: 0 });
  expect(normal.getBlankLine()).toMatchObject({ length: 10, isWrapped: false });
  const line = normal.lines.get(0)!;
  expect(line).toMatchObject({ length: 10, isWrapped: false, _combined: { 0: 'e\u0301' } });
  expect(line._data[0]).toBe(Content.combined | (1 << Content.widthShift));
  expect(line._data[3]).toBe(0x4e2d | (2 << Content.widthShift));
  expect([line._data[6], line._data[27]]).toEqual([0, NULL_CONTENT]);
  expect(line._extendedAttrs[3]).toMatchObject({ _ext: (3 << 26) | 0x2000000 | 9, _urlId: 0 });
  expect(line._extendedAttrs[4]).toMatchObject({ _urlId: 1 });
  expect(core._oscLinkService.getLinkData(1)).toEqual({ id: 'i', uri: 'http://u' });
  expect([...core._oscLinkService._entriesWithId.keys()]).toEqual(['i;;http://u']);
  const link = { id: 1, data: { id: 'i', uri: 'http://u' } };
  expect(core._oscLinkService._dataByLinkId.get(1)).toMatchObject(link);
  expect(core._oscLinkService._entriesWithId.get('i;;http://u')).toMatchObject(link);
  expect(core._oscLinkService.registerLink(link.data)).toBe(1);
  expect(core._charsetService.charset).toBe(core._charsetService._charsets[0]);
  expect(core._charsetService.glevel).toBe(0);
  expect(core._inputHandler._curAttrData).toMatchObject({ fg: 0x11000001, bg: 0x10000000 });
  expect([core._inputHandler._windowTitle, core._inputHandler._iconName]).toEqual(['title', 'title']);
  expect(core.unicodeService.wcwidth(0x1f600)).toBe(2);
  expect(core.coreMouseService).toMatchObject({ activeProtocol: 'NONE', activeEncoding: 'DEFAULT' });
  expect(core.optionsService.rawOptions).toMatchObject({ cursorBlink: false, convertEol: false });
  expect(core.coreService).toMatchObject({ isCursorHidden: false, modes: { insertMode: false } });
  expect(core.coreService.decPrivateModes).toEqual({
    applicationCursorKeys: false,
    applicationKeypad: false,
    bracketedPasteMode: false,
    cursorBlink: undefined,
    cursorStyle: undefined,
    origin: false,
    reverseWraparound: false,
    sendFocus: false,
    synchronizedOutput: false,
    wraparound: true,
  });
});

test('the parser exposes its state and the width of the last character', () => {
  const term = createTerminal(10, 3, 5);
  const parser = internals(term)._inputHandler._parser;
  const states = Object.entries({
    ground: 'a',
    escape: '\x1b',
    escapeIntermediate: '\x1b#',
    csiEntry: '\x1b[',
    csiParam: '\x1b[1',
    csiIntermediate: '\x1b[ ',
    csiIgnore: '\x1b[?1?',
    sosPmApcString: '\x1bX',
    oscString: '\x1b]',
    dcsEntry: '\x1bP',
    dcsParam: '\x1bP1',
    dcsIgnore: '\x1bP1?',
    dcsIntermediate: '\x1bP$',
    dcsPassthrough: '\x1bP$q',
  }).map(([name, output]) => {
    writeSync(term, `\x18${output}`);
    return [name, parser.currentState];
  });
  expect(Object.fromEntries(states)).toEqual(ParserState);
  const widths = ['a', '中', '\x1b[m', 'e\u0301'].map((output) => {
    writeSync(term, `\x18${output}`);
    return (parser.precedingJoinState >> 1) & 3;
  });
  expect(widths).toEqual([1, 2, 0, 1]);
});

test('the parser stops if a transition is an error and the handler says so', () => {
  const term = createTerminal(10, 3, 5);
  const { _parser: parser, _utf8Decoder: decoder } = internals(term)._inputHandler;
  const codePoints = new Uint32Array(9);
  expect(decoder.decode(Buffer.from('a中👩'), codePoints)).toBe(3);
  expect([...codePoints.subarray(0, 3)]).toEqual(['a', '中', '👩'].map((text) => text.codePointAt(0)));
  const { table } = parser._transitions;
  expect([table.length, table[0x0a]! >> 4, table[0x1b]]).toEqual([4095, 3, 0xb1]);
  const before = parser._transitions;
  let position = -1;
  parser.setErrorHandler((state) => {
    position = state.position;
    return { ...state, abort: true };
  });
  const lineFeed = parser._executeHandlers[0x0a]!;
  parser._executeHandlers[0x0a] = () => {
    lineFeed();
    parser._transitions = { table: new Uint8Array(table.length).fill(ParserAction.error << 4) };
  };
  parser.parse(
    Uint32Array.from('ab\ncd', (character) => character.codePointAt(0)!),
    5,
  );
  expect([position, parser.currentState, internals(term).buffers.normal.x]).toEqual([
    3,
    ParserState.ground,
    2,
  ]);
  parser._transitions = before;
});

test('a write after input is parsed at once, again and again', () => {
  const term = createTerminal(10, 3, 5);
  for (let n = 0; n < 100; n++) writeSync(term, `\r${n}`);
  expect(internals(term).buffers.normal.x).toBe(2);
  term.write('\r');
  expect(() => writeSync(term, 'x')).toThrow('did not parse synchronously');
});
