import { MAX_REFUSAL_BYTES } from '../../contract/limits.js';
import { decodeCursor, encodeCursor } from '../../workers/shard/read-cursor.js';
import { type Mark, parseMark } from '../../workers/shard/stages/mark.js';
import { MarkScanner } from '../../workers/shard/stages/mark-scanner.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import type { Printed } from './progress.js';
import type { RunParts } from './typed.js';

/** How a shell refused a command. */
export interface Refusal {
  /** Output of the shell about the command. */
  printed: Printed;
  /** The shell's status afterwards; null where the shell does not report it, or reports that of an earlier command. */
  exitCode: number | null;
}

/** Line editors turn bracketed paste off when they take a line, so that output after that is not its echo. */
const TAKEN = /\x1b\[\?2004l\r*\n?/;
/** fish leaves bracketed paste on, and begins its message like this. */
const TAKEN_BY_FISH = /\r\n(?=fish: )/;
/** Without bracketed paste, the echo ends with its line. */
const TAKEN_PLAINLY = /\r\n/;

/** How bash and zsh begin a message, in any language: with the name of the shell. */
const MESSAGE = /^\S+: /m;

/** How a line editor begins to edit; used for prompts whose beginning is not marked. */
const EDITED_ANEW = '\x1b[?2004h';

/**
 * Returns how a shell refused what was typed into it: the shell printed something, and then showed its prompt or the
 * next line without having started anything. Returns undefined where it did not refuse.
 *
 * @param since - from before the typing up to now, or up to the beginning of the first command's output
 */
export async function findRefusal(
  { screens }: Pick<RunParts, 'screens'>,
  id: string,
  since: Required<Printed>,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  const query = { ...since, raw: true, maxBytes: MAX_REFUSAL_BYTES };
  const { text } = await retryAcrossShardRestart(signal, () => screens.rangeText(id, query));
  const bytes = Buffer.from(text);
  const found = refusalIn(bytes);
  if (!found) return undefined;
  const all = Number.MAX_SAFE_INTEGER;
  const first = decodeCursor(since.end, all).position - bytes.length;
  // In which column of the screen the text begins is unknown, and does not matter: it is written line after line.
  const place = { ...decodeCursor(since.start, all), col: 0 };
  const at = (offset: number) => encodeCursor({ ...place, position: first + offset });
  return { printed: { start: at(found.begin), end: at(found.end) }, exitCode: found.exitCode };
}

interface Said {
  /** Byte offsets of the shell's message about the command. */
  begin: number;
  end: number;
  exitCode: number | null;
}

/** Finds a refusal, like {@link findRefusal}, in output that begins where a command was typed. */
export function refusalIn(bytes: Buffer): Said | undefined {
  // Latin-1: each character is one byte, so indexes are byte offsets.
  const text = bytes.toString('latin1');
  const taken = TAKEN.exec(text) ?? TAKEN_BY_FISH.exec(text) ?? TAKEN_PLAINLY.exec(text);
  if (!taken) return undefined;
  const begin = taken.index + taken[0].length;
  // Earlier marks come from prompts that were drawn again while the line was edited.
  const marks = marksIn(bytes).filter((mark) => mark.begin >= begin);
  const came = marks.find(({ kind }) => kind !== 'commandLine' && kind !== 'cwd');
  if (!came || came.kind === 'outputStart') return undefined;
  const end = came.kind === 'promptEnd' ? beginOfPrompt(text, begin, came.begin) : came.begin;
  const said = withoutEscapes(text.slice(begin, end));
  if (came.kind !== 'outputEnd') return /\S/.test(said) ? { begin, end, exitCode: null } : undefined;
  // A trap may print, too, after a line that ran nothing: an empty alias. The status alone does not rule a refusal out:
  // bash keeps the status of the command before when it refuses `[[ a b ]]`.
  return MESSAGE.test(said) ? { begin, end, exitCode: came.exitCode || null } : undefined;
}

function marksIn(bytes: Buffer): Mark[] {
  return new MarkScanner(0).scan(bytes).flatMap((found) => parseMark(found) ?? []);
}

/**
 * Returns where a prompt begins that has no mark at its beginning: after a history expansion that finds no event, bash
 * marks only the end of its prompt.
 */
function beginOfPrompt(text: string, begin: number, end: number): number {
  const edited = text.indexOf(EDITED_ANEW, begin);
  if (edited !== -1 && edited < end) return edited;
  return Math.max(begin, text.lastIndexOf('\n', end - 1) + 1);
}

function withoutEscapes(text: string): string {
  return text.replace(/\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-~])/g, '');
}
