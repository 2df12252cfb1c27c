import { MAX_COMMAND_LINE_CHARS, MAX_PATH_CHARS } from '../../../contract/limits.js';
import type { FoundMark } from './mark-scanner.js';

/** Report of a shell in a mark. */
export type MarkContent =
  /** `takesRuns`: the shell's line editor has the keys of runs bound. */
  | { kind: 'promptStart'; takesRuns?: boolean }
  /** `count` grows with each prompt; a prompt that is only drawn again keeps its count. */
  | { kind: 'promptEnd'; count?: number }
  | { kind: 'commandLine'; commandLine: string }
  | { kind: 'cwd'; cwd: string }
  /** `zsh`: set by zsh only. */
  | { kind: 'outputStart'; zsh?: ZshLine }
  /** `exitCode` is null if the shell does not report it. */
  | { kind: 'outputEnd'; exitCode: number | null }
  /**
   * The shell has replaced its own line with that of a run, and accepts it. `status` is `$?` before that. `hasDraft`:
   * the shell's line had text, which is kept.
   */
  | { kind: 'runTaken'; token: string; status: number | null; hasDraft: boolean }
  /** The shell has given up the line of a run, because it is incomplete. */
  | { kind: 'runIncomplete'; token: string }
  /** The shell asks for the remainder of a command. */
  | { kind: 'continuation' }
  /** The line editor answers a probe. */
  | { kind: 'lineEditor' }
  /** The text that was in the line before a run is back. */
  | { kind: 'draftBack' };

/** Facts about a line that zsh begins to execute; see {@link isGivenUp}. */
export interface ZshLine {
  /** `$?` before the line. */
  status: number;
  /** Whether the line may call a function. */
  callsFunction: boolean;
}

/** A mark, whatever its origin. */
export type Mark = MarkContent & {
  /** The nonce of the terminal or a token, in a mark that counts. */
  key: string;
  /** Process id of the shell; 0 if the mark has none. */
  pid: number;
  /** Position of the first byte, and the position after the last byte. */
  begin: number;
  end: number;
};

const CWD = 'Cwd=';
const TAKES_RUNS = '1';
const CALLS_FUNCTION = '1';
const PID = /^[1-9]\d{0,9}$/;
const COUNT = /^\d{1,15}$/;
const EXIT_CODE = /^-?\d{1,10}$/;

/** Returns the content of a mark; undefined if it is not a mark. */
export function parseMark({ family, payload, begin, end }: FoundMark): Mark | undefined {
  const parts = withoutControls(payload).split(';');
  const content = family === 133 ? parse133(parts) : parse633(parts);
  return content && { begin, end, ...content };
}

type Spoken = MarkContent & Pick<Mark, 'key' | 'pid'>;

/** Reads a letter, and parameters in any order. In D, the parameter without a name is the exit code. */
function parse133([letter, ...rest]: string[]): Spoken | undefined {
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    parameters.set(part.slice(0, Math.max(0, equals)), part.slice(equals + 1));
  }
  const content = contentOf(letter, parameters);
  return content && { key: parameters.get('k') ?? '', pid: pidOf(parameters.get('s')), ...content };
}

function contentOf(
  letter: string | undefined,
  parameters: ReadonlyMap<string, string>,
): MarkContent | undefined {
  switch (letter) {
    case 'A':
      return { kind: 'promptStart', ...(parameters.get('r') === TAKES_RUNS && { takesRuns: true }) };
    case 'B':
      return { kind: 'promptEnd', ...counted(parameters.get('n')) };
    case 'C':
      return { kind: 'outputStart', ...zshLine(parameters.get('z'), parameters.get('f')) };
    case 'D':
      return endOf(parameters.get(''));
    default:
      return undefined;
  }
}

function zshLine(status: string | undefined, functions: string | undefined): { zsh?: ZshLine } {
  const known = numberOf(status ?? '');
  return known === null ? {} : { zsh: { status: known, callsFunction: functions === CALLS_FUNCTION } };
}

function counted(count: string | undefined): { count?: number } {
  return COUNT.test(count ?? '') ? { count: Number(count) } : {};
}

/**
 * Returns the end of a command; undefined if the status is not a number. zsh keeps this mark in a prompt string, and
 * puts the status in when it prints that string. A program that prints the variable unchanged reports no end.
 */
function endOf(status: string | undefined): MarkContent | undefined {
  if (!status) return { kind: 'outputEnd', exitCode: null };
  return EXIT_CODE.test(status) ? { kind: 'outputEnd', exitCode: Number(status) } : undefined;
}

/** Reads letter, value, key and process id. A semicolon in the value should be escaped, but may not be. */
function parse633(parts: string[]): Spoken | undefined {
  if (parts.length < 4) return undefined;
  const [letter, value, key, pid] = [parts[0], parts.slice(1, -2).join(';'), parts.at(-2)!, parts.at(-1)];
  const speaker = { key, pid: pidOf(pid) };
  if (letter === 'E')
    return { kind: 'commandLine', commandLine: unescaped(value, MAX_COMMAND_LINE_CHARS), ...speaker };
  if (letter === 'P' && value.startsWith(CWD))
    return { kind: 'cwd', cwd: unescaped(value.slice(CWD.length), MAX_PATH_CHARS), ...speaker };
  const content = ofLineEditor(letter, value);
  return content && { key, pid: speaker.pid, ...content };
}

/** Returns the report that a key of runs or a secondary prompt makes a shell print. */
function ofLineEditor(letter: string | undefined, value: string): MarkContent | undefined {
  switch (letter) {
    case 'R': {
      const [token = '', status = '', draft = ''] = value.split(';');
      return { kind: 'runTaken', token, status: numberOf(status), hasDraft: Number(draft) > 0 };
    }
    case 'I':
      return { kind: 'runIncomplete', token: value };
    case 'S':
      return { kind: 'continuation' };
    case 'L':
      return { kind: 'lineEditor' };
    case 'Q':
      return { kind: 'draftBack' };
    default:
      return undefined;
  }
}

function numberOf(text: string): number | null {
  return EXIT_CODE.test(text) ? Number(text) : null;
}

function pidOf(text: string | undefined): number {
  return PID.test(text ?? '') ? Number(text) : 0;
}

/** Decodes as Latin-1, so that escaped bytes of UTF-8 characters can be inserted. xterm drops controls here, too. */
function withoutControls(payload: Buffer): string {
  return payload.toString('latin1').replace(/[\x00-\x1f]/g, '');
}

/** Decodes a text in which `\\` is a backslash and `\x3b` a byte. */
function unescaped(escaped: string, maxChars: number): string {
  const bytes = escaped.replace(/\\(?:(\\)|x([0-9a-f]{2}))/gi, (_all, backslash?: string, hex?: string) =>
    backslash ? '\\' : String.fromCharCode(Number.parseInt(hex!, 16)),
  );
  return cutTo(Buffer.from(bytes, 'latin1').toString('utf8'), maxChars);
}

/** Cuts a text to at most `maxChars` UTF-16 units, without half a character at the end. */
export function cutTo(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const isHalf = (text.charCodeAt(maxChars - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? maxChars - 1 : maxChars);
}
