import { MAX_COMMAND_LINE_CHARS, MAX_PATH_CHARS } from '../../../contract/limits.js';
import type { FoundMark } from './mark-scanner.js';

/** What a shell tells by a mark. */
export type MarkContent =
  /** `takesRuns`: its line editor has the keys of runs bound. */
  | { kind: 'promptStart'; takesRuns?: boolean }
  /** `count` grows with each prompt; one that is only drawn again keeps it. */
  | { kind: 'promptEnd'; count?: number }
  | { kind: 'commandLine'; commandLine: string }
  | { kind: 'cwd'; cwd: string }
  | { kind: 'outputStart' }
  /** `exitCode` is null when the shell does not say. */
  | { kind: 'outputEnd'; exitCode: number | null }
  /**
   * The shell has put the line of a run in place of its own, and accepts it. `status` is `$?` before; `hasDraft`: what
   * stood in the line is kept.
   */
  | { kind: 'runTaken'; token: string; status: number | null; hasDraft: boolean }
  /** The shell gave the line of a run up, since it is not complete. */
  | { kind: 'runIncomplete'; token: string }
  /** The shell asks for the rest of a command. */
  | { kind: 'continuation' }
  /** The line editor answers a probe. */
  | { kind: 'lineEditor' }
  /** What stood in the line before a run is back in it. */
  | { kind: 'draftBack' };

/** A mark, of whomever it is. */
export type Mark = MarkContent & {
  /** The nonce of the terminal, or a token, if it is one that counts. */
  key: string;
  /** Process of the shell that speaks; 0 when it does not say. */
  pid: number;
  /** Positions of its first byte and after its last. */
  begin: number;
  end: number;
};

const CWD = 'Cwd=';
const TAKES_RUNS = '1';
const PID = /^[1-9]\d{0,9}$/;
const COUNT = /^\d{1,15}$/;
const EXIT_CODE = /^-?\d{1,10}$/;

/** Reads a mark; undefined for what is none. */
export function parseMark({ family, payload, begin, end }: FoundMark): Mark | undefined {
  const parts = withoutControls(payload).split(';');
  const content = family === 133 ? parse133(parts) : parse633(parts);
  return content && { ...content, begin, end };
}

type Spoken = MarkContent & Pick<Mark, 'key' | 'pid'>;

/** Letter, and parameters in any order; of D the one without a name is the exit code. */
function parse133([letter, ...rest]: string[]): Spoken | undefined {
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const equals = part.indexOf('=');
    parameters.set(part.slice(0, Math.max(0, equals)), part.slice(equals + 1));
  }
  const content = contentOf(letter, parameters);
  return content && { ...content, key: parameters.get('k') ?? '', pid: pidOf(parameters.get('s')) };
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
      return { kind: 'outputStart' };
    case 'D':
      return endOf(parameters.get(''));
    default:
      return undefined;
  }
}

function counted(count: string | undefined): { count?: number } {
  return COUNT.test(count ?? '') ? { count: Number(count) } : {};
}

/**
 * What says another thing than a number is no end: zsh keeps the mark as a prompt string, whose status is put in
 * when the shell prints it, and a program that prints the variable as it is tells of nothing.
 */
function endOf(status: string | undefined): MarkContent | undefined {
  if (!status) return { kind: 'outputEnd', exitCode: null };
  return EXIT_CODE.test(status) ? { kind: 'outputEnd', exitCode: Number(status) } : undefined;
}

/** Letter, value, key and process. A semicolon within the value should have been escaped, but may not be. */
function parse633(parts: string[]): Spoken | undefined {
  if (parts.length < 4) return undefined;
  const [letter, value, key, pid] = [parts[0], parts.slice(1, -2).join(';'), parts.at(-2)!, parts.at(-1)];
  const speaker = { key, pid: pidOf(pid) };
  if (letter === 'E')
    return { kind: 'commandLine', commandLine: unescaped(value, MAX_COMMAND_LINE_CHARS), ...speaker };
  if (letter === 'P' && value.startsWith(CWD))
    return { kind: 'cwd', cwd: unescaped(value.slice(CWD.length), MAX_PATH_CHARS), ...speaker };
  const content = ofLineEditor(letter, value);
  return content && { ...content, ...speaker };
}

/** What the keys of runs, and secondary prompts, have a shell tell. */
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

/** As Latin-1, so that escaped bytes of a UTF-8 character can be put in. xterm drops controls here, too. */
function withoutControls(payload: Buffer): string {
  return payload.toString('latin1').replace(/[\x00-\x1f]/g, '');
}

/** `\\` is a backslash, `\x3b` a byte. */
function unescaped(escaped: string, maxChars: number): string {
  const bytes = escaped.replace(/\\(?:(\\)|x([0-9a-f]{2}))/gi, (_all, backslash?: string, hex?: string) =>
    backslash ? '\\' : String.fromCharCode(Number.parseInt(hex!, 16)),
  );
  return cutTo(Buffer.from(bytes, 'latin1').toString('utf8'), maxChars);
}

/** At most so many UTF-16 units, without half a character at the end. */
export function cutTo(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const isHalf = (text.charCodeAt(maxChars - 1) & 0xfc00) === 0xd800;
  return text.slice(0, isHalf ? maxChars - 1 : maxChars);
}
