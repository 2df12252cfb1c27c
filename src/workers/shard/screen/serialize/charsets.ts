import xterm from '@xterm/headless';
import { type Charset, internals, type XtermInternals } from '../xterm/internals.js';
import { writeSync } from '../xterm/terminal.js';
import type { Output } from './output.js';

const DESIGNATORS = ['(', ')', '*', '+'];
const SHIFTS = ['\x0f', '\x0e', '\x1bn', '\x1bo'];
const FINALS = '0A4C5RQKYE6ZH7=';

/** Final character of each character set of xterm. All its terminals share the sets, which have no other names. */
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

/** Returns the designation of a set as G0, the set in force while a screen is being written; empty for ASCII. */
export function designateG0(charset: Charset | null): string {
  return charset ? `\x1b(${finalOf(charset)}` : '';
}

/** Writes the designations of all four sets, and the shift. */
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

/** Returns whether the set in force is the set shifted in. DECRC can put a set in force that is none of the four. */
export function isCharsetInStep({ _charsetService: service }: XtermInternals): boolean {
  return (service.charset ?? undefined) === (service._charsets[service.glevel] ?? undefined);
}

/** Returns the characters that show as `text` while `charset` is in force; undefined when no characters do. */
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
