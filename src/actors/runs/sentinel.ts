import { MAX_CANONICAL_LINE_BYTES } from '../../contract/limits.js';

/** Control characters except LF, which a line editor or the terminal would take for keys. */
const TYPED_OTHERWISE = /[\x00-\x09\x0b-\x1f\x7f]/;
/** The same, `!`, which recalls history between double quotes, and the backslash, an escape for `printf %b`. */
const ENCODED = /[\\!\x00-\x09\x0b-\x1f\x7f]/g;

/** A single quote within single quotes. */
const QUOTE = "'\\''";

/** Bytes reserved for the marks around a piece of a command. */
const AROUND = 8;

/**
 * Returns the line to type so that a command runs between two marks that carry the token. `eval` keeps the second mark
 * out of the command's own syntax, and `command` keeps an error in the command from ending the line. The result is one
 * logical line, whose physical lines are short enough for a terminal that edits lines itself. Its echo contains no
 * mark, since `printf` makes the escapes. The leading space keeps it out of the history of shells that are configured
 * that way.
 *
 * @param shell - its name
 */
export function sentinelLine(shell: string, command: string, token: string): string {
  // In zsh `command` runs programs only; there `eval` alone survives errors.
  const run = shell === 'zsh' ? 'eval' : 'command eval';
  const [open, text, close] = TYPED_OTHERWISE.test(command)
    ? [`"$(printf %b `, command.replace(ENCODED, encode), ')"']
    : ['', command, ''];
  const head = ` printf '\\033]133;C;k=${token}\\007'; ${run} ${open}`;
  const tail = `${close}; printf '\\033]133;D;%s;k=${token}\\007' "$?"`;
  const whole = `${head}'${text.replaceAll("'", QUOTE)}'${tail}`;
  return isShort(whole) ? whole : `${head}\\\n'${inShortLines(text)}'\\\n${tail}`;
}

function isShort(typed: string): boolean {
  return typed.split('\n').every((line) => Buffer.byteLength(line) <= MAX_CANONICAL_LINE_BYTES);
}

/** Splits text within single quotes into quoted pieces, which a backslash at the end of each line joins. */
function inShortLines(text: string): string {
  const most = MAX_CANONICAL_LINE_BYTES - AROUND;
  let lines = '';
  let bytes = 0;
  for (const char of text) {
    const piece = char === "'" ? QUOTE : char;
    const size = Buffer.byteLength(piece);
    const isFull = bytes + size > most;
    if (isFull) lines += "'\\\n'";
    lines += piece;
    bytes = char === '\n' ? 0 : (isFull ? 0 : bytes) + size;
  }
  return lines;
}

/** Encodes a character in the form that `printf %b` reads. */
function encode(char: string): string {
  return `\\0${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
