import unicode11 from '@xterm/addon-unicode11';
import xterm, { type Terminal } from '@xterm/headless';
import { internals, type XtermInternals } from './internals.js';
import { shareOptions } from './shared-options.js';

/** xterm has at least this many columns, because a wide character must fit. */
export const MIN_XTERM_COLS = 2;

let widths: XtermInternals['unicodeService'] | undefined;

/** Returns the columns that a character takes in each xterm of {@link createTerminal}. */
export function widthOf(codePoint: number): 0 | 1 | 2 {
  widths ??= internals(createTerminal(MIN_XTERM_COLS, 1, 0)).unicodeService;
  return widths.wcwidth(codePoint);
}

/** Creates an xterm that measures characters by Unicode 11, as our browser clients do, and logs nothing. */
export function createTerminal(cols: number, rows: number, scrollback: number): Terminal {
  const term = new xterm.Terminal({
    cols: Math.max(cols, MIN_XTERM_COLS),
    rows,
    scrollback,
    allowProposedApi: true,
    logLevel: 'off',
  });
  term.loadAddon(new unicode11.Unicode11Addon());
  term.unicode.activeVersion = '11';
  const core = internals(term);
  (term as unknown as { _publicOptions: object })._publicOptions = shareOptions(core);
  // xterm makes a larger one when it needs it; a screen parses from memory of its own.
  core._inputHandler._parseBuffer = new Uint32Array(0);
  return term;
}

/**
 * Parses `data` before it returns. xterm waits for a timer before it parses a write, except for the first write after
 * user input, for which `input('')` counts. Throws if xterm did wait, since output and queries would lose their order.
 */
export function writeSync(term: Terminal, data: Uint8Array | string): void {
  if (data.length === 0) return;
  let isParsed = false;
  term.input('', true);
  term.write(data, () => {
    isParsed = true;
  });
  if (!isParsed)
    throw new Error('xterm did not parse synchronously: it failed earlier, or its version differs');
}
