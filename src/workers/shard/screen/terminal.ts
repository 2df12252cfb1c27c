import unicode11 from '@xterm/addon-unicode11';
import xterm, { type Terminal } from '@xterm/headless';

/** xterm keeps at least this many columns, since a wide character must fit. */
export const MIN_XTERM_COLS = 2;

/** An xterm that counts widths as browsers here do, and says nothing on the console. */
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
  return term;
}

/**
 * Parses `data` now. xterm parses the first write after user input at once, which `input('')` is; otherwise it
 * waits for a timer. Throws when that is not so, since output and questions would lose their order.
 */
export function writeSync(term: Terminal, data: Uint8Array | string): void {
  if (data.length === 0) return;
  let isParsed = false;
  term.input('', true);
  term.write(data, () => {
    isParsed = true;
  });
  if (!isParsed) throw new Error('xterm did not parse at once: it failed before, or is another version');
}
