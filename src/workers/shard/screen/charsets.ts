import xterm from '@xterm/headless';
import { type Charset, internals, type XtermInternals } from './internals.js';
import type { Output } from './output.js';
import { writeSync } from './terminal.js';

const DESIGNATORS = ['(', ')', '*', '+'];
const SHIFTS = ['\x0f', '\x0e', '\x1bn', '\x1bo'];
const FINALS = '0A4C5RQKYE6ZH7=';

/** Final characters of the sets that xterm has, which all its terminals share; they have no other names. */
const FINAL_OF = learnFinals();

function finalOf(charset: Charset): string {
  return FINAL_OF.get(charset) ?? 'B';
}

function learnFinals(): Map<Charset, string> {
  const term = new xterm.Terminal({ cols: 2, rows: 1, allowProposedApi: true, logLevel: 'off' });
  const core = internals(term);
  const found = new Map<Charset, string>();
  for (const final of FINALS) {
    writeSync(term, `\x1b(${final}`);
    const set = core._charsetService.charset ?? undefined;
    if (set && !found.has(set)) found.set(set, final);
  }
  term.dispose();
  return found;
}

/** Designates a set as G0, which is the one in force while a screen is being written. */
export function designateG0(charset: Charset | null): string {
  return charset ? `\x1b(${finalOf(charset)}` : '';
}

/** Designations of all four sets, and the shift. */
export function writeCharsets(out: Output): void {
  const { _charsets: sets } = out.core._charsetService;
  for (const [index, designator] of DESIGNATORS.entries()) {
    const set = sets[index];
    if (set) out.raw(`\x1b${designator}${finalOf(set)}`);
  }
  writeShift(out);
}

export function writeShift(out: Output): void {
  const { glevel } = out.core._charsetService;
  if (glevel !== 0) out.raw(SHIFTS[glevel]!);
}

/** DECRC puts a set in force that need not be one of the four. */
export function isCharsetInStep({ _charsetService: service }: XtermInternals): boolean {
  return (service.charset ?? undefined) === (service._charsets[service.glevel] ?? undefined);
}

/** What to send so that `text` shows while `charset` is in force; undefined when nothing does. */
export function encode(text: string, charset: Charset | null): string | undefined {
  if (!charset) return text;
  let encoded = '';
  for (const character of text) {
    const code = character.codePointAt(0)!;
    if (code >= 127 || !charset[character]) {
      encoded += character;
      continue;
    }
    const source = Object.keys(charset).find((key) => charset[key]?.charCodeAt(0) === code);
    if (source === undefined) return undefined;
    encoded += source;
  }
  return encoded;
}
