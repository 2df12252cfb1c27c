import xterm from '@xterm/headless';
import { expect, test } from 'vitest';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';

const MADE = { cols: 20, rows: 5, scrollback: 10, allowProposedApi: true, logLevel: 'off' } as const;

/** Returns the options as read by a program that goes through all of them. */
function read(options: object): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const key in options) all[key] = (options as Record<string, unknown>)[key];
  return all;
}

test('has the options of a bare xterm, each terminal its own', () => {
  const [one, other] = [createTerminal(20, 5, 10), createTerminal(30, 5, 10)];
  const bare = new xterm.Terminal(MADE);
  expect(read(one.options)).toEqual(read(bare.options));
  expect(read(internals(one).optionsService.options)).toEqual(read(internals(bare).optionsService.options));
  expect([read(one.options).cols, read(other.options).cols]).toEqual([20, 30]);
});

test('sets an option as a bare xterm does: checked, for this terminal alone, and told once', () => {
  const [one, other, bare] = [createTerminal(20, 5, 10), createTerminal(20, 5, 10), new xterm.Terminal(MADE)];
  for (const term of [one, bare]) {
    const told: string[] = [];
    const core = internals(term) as unknown as {
      optionsService: { onOptionChange(listener: (key: string) => void): void };
    };
    core.optionsService.onOptionChange((key) => told.push(key));
    term.options.tabStopWidth = 4;
    term.options.tabStopWidth = 4;
    expect(() => {
      term.options.tabStopWidth = 0;
    }).toThrow('tabStopWidth');
    writeSync(term, '\x1b[20h\x1b[20h\x1b[?12h');
    expect([told, term.options.tabStopWidth]).toEqual([['tabStopWidth', 'convertEol', 'cursorBlink'], 4]);
    expect(term.options.convertEol).toBe(true);
  }
  expect([other.options.tabStopWidth, other.options.convertEol]).toEqual([8, false]);
});

test('is as large as before after a reset', () => {
  const term = createTerminal(20, 5, 10);
  term.resize(40, 7);
  term.reset();
  expect({ ...read(term.options), cols: term.cols, rows: term.rows }).toEqual(read(term.options));
  expect([term.cols, term.rows]).toEqual([40, 7]);
});
