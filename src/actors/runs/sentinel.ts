import { MAX_CANONICAL_LINE_BYTES } from '../../contract/limits.js';

/** Characters that a line editor or the terminal takes for keys, and `!`, which recalls history between double quotes. */
const TYPED_OTHERWISE = /[\x00-\x09\x0b-\x1f\x7f]/;
const ENCODED = /[\\!\x00-\x09\x0b-\x1f\x7f]/g;

/** A single quote between single quotes. */
const QUOTE = "'\\''";

/** Room for what is put around a piece of a command, in bytes. */
const AROUND = 8;

/**
 * What is typed to run a command between two marks that carry the token: `eval` keeps the second one out of the
 * command's own syntax, and `command` keeps an error in it from ending the line. It is one logical line, whose
 * physical ones are short enough for a terminal that edits lines itself. Its echo holds no mark, since the escapes
 * are made by `printf`. The space before it keeps it out of the history of shells that are set to.
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

/** What stands between single quotes, as pieces that a backslash at the end of the line joins. */
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

/** As `printf %b` reads it. */
function encode(char: string): string {
  return `\\0${char.charCodeAt(0).toString(8).padStart(3, '0')}`;
}
