import { describe, expect, test } from 'vitest';
import { PersonTyping } from '#dist/actors/input-gate/person-typing.js';
import { entersIn, leavesDraft } from '#dist/actors/paste.js';
import { dropsLine } from '#dist/actors/typing.js';

function isHalfTyped(...writes: string[]): boolean {
  const typing = new PersonTyping();
  for (const write of writes) typing.feed(write);
  return typing.hasDraft;
}

/** Ways in which a terminal sends a key that ends or drops a line. */
const ENDS: Record<string, string> = {
  'Ctrl+C': '\x03',
  'Ctrl+C by kitty': '\x1b[99;5u',
  'Ctrl+C by kitty, with num lock': '\x1b[99;133u',
  'Ctrl+C by kitty, with its event': '\x1b[99;5:1u',
  'Ctrl+C by modifyOtherKeys': '\x1b[27;5;99~',
  'Ctrl+U by kitty': '\x1b[117;5u',
  'Ctrl+U by modifyOtherKeys': '\x1b[27;5;117~',
  'Enter by kitty': '\x1b[13u',
};

describe.each(Object.entries(ENDS))('%s', (_name, key) => {
  test('ends the half-typed line of a person', () => {
    expect(isHalfTyped('ls', key)).toBe(false);
  });

  test('drops a line, and leaves no draft', () => {
    expect(dropsLine([{ data: key }])).toBe(true);
    expect(leavesDraft([{ data: key }], true)).toBe(false);
    expect(leavesDraft([{ data: `${key}x` }], true)).toBe(true);
  });
});

const OTHERS: Record<string, string> = {
  'Shift+Enter by kitty': '\x1b[13;2u',
  'Shift+Enter by modifyOtherKeys': '\x1b[27;2;13~',
  'Escape by kitty': '\x1b[27u',
  'Ctrl+A by kitty': '\x1b[97;5u',
  'Alt+C by kitty': '\x1b[99;3u',
  'the release of Enter': '\x1b[13;1:3u',
  Delete: '\x1b[3~',
  left: '\x1b[D',
};

describe.each(Object.entries(OTHERS))('%s', (_name, key) => {
  test('leaves a line as it was', () => {
    expect(isHalfTyped(key)).toBe(false);
    expect(isHalfTyped('ls', key)).toBe(true);
    expect(dropsLine([{ data: key }])).toBe(false);
    expect(leavesDraft([{ data: key }], false)).toBe(false);
    expect(leavesDraft([{ data: key }], true)).toBe(true);
  });
});

test.each(['\x1b[I', '\x1b[<0;10;20M', '\x1b[?62;22c', '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\', '\x1b[12;40R'])(
  'the report %j of an emulator begins no line',
  (report) => {
    expect(leavesDraft([{ data: report }], false)).toBe(false);
    expect(leavesDraft([{ data: report }], true)).toBe(true);
  },
);

test.each(['ls', '\x1b[97u', '\x1b[97;2u', '\x10', '\x12', '\x19', '\x1b[112;5u', '\x1b[A'])(
  '%j begins a line',
  (keys) => {
    expect(leavesDraft([{ data: keys }], false)).toBe(true);
    expect(isHalfTyped(keys)).toBe(true);
  },
);

test('Enter by kitty submits, except in a paste', () => {
  expect(entersIn([{ data: 'ls\x1b[13u' }])).toBe(1);
  expect(entersIn([{ data: '\x1b[200~a\rb\x1b[201~\x1b[13u' }])).toBe(1);
});
