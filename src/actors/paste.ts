import type { InputPart } from '../contract/terminal.js';
import { holdsKey } from './input-gate/person-typing.js';
import { withTypedKeys } from './keys/encoded-keys.js';

const PASTE_START = '\x1b[200~';
const PASTE_END = '\x1b[201~';

/** Sequences that end a paste, as UTF-16 units: ESC [ 2 0 1 ~, and the same with the one-character CSI of C1. */
const PASTE_ENDS = [PASTE_END, '\x9b201~'].map((text) => [...text].map((char) => char.charCodeAt(0)));
const TILDE = '~'.charCodeAt(0);

/**
 * Removes every paste-end sequence, also any that forms when another is removed. It takes one pass over a stack, since
 * removing until none is left takes quadratic time, and prompts have up to 8 MiB.
 */
export function stripPasteEnd(text: string): string {
  if (!text.includes('201~')) return text;
  const kept = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    kept[length] = unit;
    length += 1;
    if (unit !== TILDE) continue;
    const end = PASTE_ENDS.find((units) =>
      units.every((each, at) => kept[length - units.length + at] === each),
    );
    length -= end?.length ?? 0;
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(kept.subarray(0, length));
}

/** Returns text as a terminal types it when it is pasted: line feeds become the CR that Enter sends. */
export function typedText(text: string, { bracketed }: { bracketed: boolean }): string {
  const lines = text.replace(/\r?\n/g, '\r');
  return bracketed ? `${PASTE_START}${stripPasteEnd(lines)}${PASTE_END}` : lines;
}

function typedBy(parts: readonly InputPart[]): string {
  return withTypedKeys(parts.map(({ data }) => data).join(''));
}

/** Returns how often Enter is typed; line ends within a bracketed paste submit nothing. */
export function entersIn(parts: readonly InputPart[]): number {
  const data = typedBy(parts);
  if (!/[\r\n]/.test(data)) return 0;
  let enters = 0;
  for (let at = 0; at < data.length; ) {
    const paste = data.indexOf(PASTE_START, at);
    enters += data.slice(at, paste === -1 ? undefined : paste).match(/\r\n|\r|\n/g)?.length ?? 0;
    if (paste === -1) return enters;
    const end = data.indexOf(PASTE_END, paste);
    if (end === -1) return enters;
    at = end + PASTE_END.length;
  }
  return enters;
}

/**
 * Keys that end, drop or clear the line that is being typed: Enter, Ctrl+C, Ctrl+U. Not Ctrl+D: it hands what is typed to
 * the program, and a shell without a line editor then waits for the rest of that line.
 */
const LINE_ENDS = /[\r\n\x03\x15]/;

/**
 * Returns whether the line that is being typed holds something after these parts. Text counts, and so does a key that
 * brings a line from the history or the kill ring; other keys leave the line as it was, and so do the reports of an emulator.
 *
 * @param before - whether the line held something before
 */
export function leavesDraft(parts: readonly InputPart[], before: boolean): boolean {
  const data = typedBy(parts);
  if (!holdsKey(data)) return before;
  const paste = data.lastIndexOf(PASTE_START);
  if (paste !== -1 && !LINE_ENDS.test(data.slice(data.indexOf(PASTE_END, paste)))) return true;
  const last = data.split(LINE_ENDS).at(-1) ?? '';
  const isKept = before && !LINE_ENDS.test(data);
  return (
    isKept || /[^\x00-\x1f\x7f]|[\x0e\x10\x12\x19]/.test(last.replace(/\x1b(\[[0-9;]*[CDHF~]|O[CDHF])/g, ''))
  );
}
