import { DomainError } from '../../contract/errors.js';
import { BACKGROUND_MS } from '../../contract/limits.js';
import { hrMs } from '../clock.js';
import type { PrintSource } from './print-source.js';
import type { RangeQuery, RangeText } from './protocol.js';
import { wholeText } from './range-piece.js';
import { decodeCursor } from './read-cursor.js';
import { plainText } from './screen/text/plain-text.js';
import { inTurns, type Segment } from './screen/text/printed.js';
import { SecretCover } from './secret-cover.js';
import type { CommandTracker } from './stages/command-tracker.js';
import type { Steps } from './steps.js';
import { truncateHead } from './truncate-head.js';
import { ProgramText } from './waits/program-text.js';

/**
 * Returns what was printed between two cursors: lines that are written from beginning to end as the program wrote them,
 * other lines as they were left on the screen; or the raw output, with the secret covered. Throws `invalid-cursor`.
 */
export async function readRange(
  source: PrintSource & ProgramSource & { secret: string },
  query: RangeQuery,
): Promise<RangeText> {
  const { screenActor, renders, secret } = source;
  const { from, to, printed, programs } = await screenActor.askPlace((place) => {
    const from = decodeCursor(query.start, place.position);
    const end = query.end === undefined ? place.cursor : decodeCursor(query.end, place.position);
    if (end.position < from.position) throw new DomainError('invalid-cursor');
    const range = { history: place.history, begin: from.position, end: end.position };
    return {
      from,
      to: end.position,
      printed: place.history.between(from.position, end.position),
      ...(query.programs && { programs: programTexts(source, range, query.programs) }),
    };
  });
  const { gap, segments } = printed;
  const whole = query.raw
    ? rawText(segments, secret)
    : (plainText(segments) ?? (await renders(() => wholeText(printed, from, to))));
  const { text, truncated } = truncateHead(whole, query.maxBytes);
  return { text, truncated: gap || truncated, ...(programs && { programs: await inTurns(programs) }) };
}

/** Parts of a terminal that are needed to find the output of its programs. */
interface ProgramSource {
  tracker: Pick<CommandTracker, 'shellRanges'>;
  size: { rows: number };
  /** Time of the last output, on the clock of {@link hrMs}. */
  printedAt: number;
}

function programTexts(
  { tracker, size, printedAt }: ProgramSource,
  { history, begin, end }: Parameters<ProgramText['textSteps']>[0],
  { withScreen }: { withScreen: boolean },
): Steps<string[]> | undefined {
  const program = new ProgramText(tracker.shellRanges);
  if (program.isUnknown) return undefined;
  const first = withScreen ? Math.min(begin, program.shownFrom({ history, end }, size.rows)) : begin;
  const isQuiet = hrMs() - printedAt >= BACKGROUND_MS;
  return program.textSteps({ history, begin: first, end }, isQuiet);
}

function rawText(segments: readonly Segment[], secret: string): string {
  const cover = new SecretCover(secret);
  const parts = segments.flatMap((segment) => ('bytes' in segment ? [cover.cover(segment.bytes)] : []));
  return Buffer.concat(parts).toString('utf8');
}
