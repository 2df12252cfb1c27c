import { MAX_REFUSAL_BYTES } from '../../contract/limits.js';
import { decodeCursor, encodeCursor } from '../../workers/shard/read-cursor.js';
import { type Mark, parseMark } from '../../workers/shard/taps/mark.js';
import { MarkScanner } from '../../workers/shard/taps/mark-scanner.js';
import { throughShardDeaths } from '../waits/shard-deaths.js';
import type { Printed } from './progress.js';
import type { RunParts } from './typed.js';

/** How a shell refused a command. */
export interface Refusal {
  /** What it said. */
  printed: Printed;
  /** Its status after that; null where it does not tell. */
  exitCode: number | null;
}

/** Line editors leave the mode that marks pastes when they take a line: what comes after it is not its echo. */
const TAKEN = /\x1b\[\?2004l\r*\n?/;
/** fish stays in that mode, and begins so what it says. */
const TAKEN_BY_FISH = /\r\n(?=fish: )/;
/** Without such a mode an echo ends with its line. */
const TAKEN_PLAINLY = /\r\n/;

/** A line editor begins so, where a prompt is not marked at its beginning. */
const EDITED_ANEW = '\x1b[?2004h';

/**
 * How a shell has refused what was typed into it: it has come back, or begun with the next line, without having started
 * anything, and said something before; undefined where it did not.
 *
 * @param since - from before it was typed up to now, or to where the output of a first command begins
 */
export async function findRefusal(
  { screens }: Pick<RunParts, 'screens'>,
  id: string,
  since: Required<Printed>,
  signal: AbortSignal,
): Promise<Refusal | undefined> {
  const query = { ...since, raw: true, maxBytes: MAX_REFUSAL_BYTES };
  const { text } = await throughShardDeaths(signal, () => screens.stretch(id, query));
  const bytes = Buffer.from(text);
  const found = refusalIn(bytes);
  if (!found) return undefined;
  const all = Number.MAX_SAFE_INTEGER;
  const first = decodeCursor(since.end, all).position - bytes.length;
  // The row is not known, and does not matter to what is written line after line.
  const place = { ...decodeCursor(since.start, all), col: 0 };
  const at = (offset: number) => encodeCursor({ ...place, position: first + offset });
  return { printed: { start: at(found.begin), end: at(found.end) }, exitCode: found.exitCode };
}

interface Said {
  /** Of what the shell said, as offsets in bytes. */
  begin: number;
  end: number;
  exitCode: number | null;
}

/** The same in output that begins where a command was typed. */
export function refusalIn(bytes: Buffer): Said | undefined {
  // A character of it is a byte.
  const text = bytes.toString('latin1');
  const taken = TAKEN.exec(text) ?? TAKEN_BY_FISH.exec(text) ?? TAKEN_PLAINLY.exec(text);
  if (!taken) return undefined;
  const begin = taken.index + taken[0].length;
  // While a line is edited its prompt may be drawn again.
  const marks = marksIn(bytes).filter((mark) => mark.begin >= begin);
  const came = marks.find(({ kind }) => kind !== 'commandLine' && kind !== 'cwd');
  if (!came || came.kind === 'outputStart') return undefined;
  const end = came.kind === 'promptEnd' ? beginOfPrompt(text, begin, came.begin) : came.begin;
  const exitCode = came.kind === 'outputEnd' ? came.exitCode : null;
  return exitCode === 0 || isBlank(text.slice(begin, end)) ? undefined : { begin, end, exitCode };
}

function marksIn(bytes: Buffer): Mark[] {
  return new MarkScanner(0).scan(bytes).flatMap((found) => parseMark(found) ?? []);
}

/** bash tells of no prompt that it shows after a history event that it does not find, but of its end. */
function beginOfPrompt(text: string, begin: number, end: number): number {
  const edited = text.indexOf(EDITED_ANEW, begin);
  if (edited !== -1 && edited < end) return edited;
  return Math.max(begin, text.lastIndexOf('\n', end - 1) + 1);
}

/** Nothing in it can be read. */
function isBlank(text: string): boolean {
  return !/\S/.test(text.replace(/\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[ -/]*[0-~])/g, ''));
}
