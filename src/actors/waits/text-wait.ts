import {
  BACKGROUND_MS,
  MAX_REGEX_TEXT_CHARS,
  MAX_REGEX_WHOLE_BYTES,
  REGEX_INTERVAL_MS,
  REGEX_REST_SHARE,
} from '../../contract/limits.js';
import { decodeCursor } from '../../workers/shard/read-cursor.js';
import type { ScreenStatus } from '../../workers/shard/screen-status.js';
import { pause } from '../abortable.js';
import type { Screens } from '../screens.js';
import type { Outcome } from './outcome.js';
import type { Patterns } from './patterns.js';
import { type Scope, within } from './scope.js';
import { retryAcrossShardRestart } from './shard-restart.js';

export interface TextParts {
  screens: Pick<Screens, 'until' | 'look' | 'place' | 'rangeText'>;
  patterns: Pick<Patterns, 'match'>;
}

/** Range in which a wait for a text looks. */
export interface TextRange {
  /** Only output after this cursor counts; without it, the present screen and new output count. */
  since?: string | undefined;
  /** The cursor at the beginning of the wait, or `since`. */
  from: string;
  /** Also looks in prompts and in text that is typed at them. */
  echo?: boolean;
}

/** A regular expression to wait for. */
export interface PatternRange extends TextRange {
  pattern: string;
  /** Asks for the present state only: the pattern is tried once. */
  isNow: boolean;
}

/**
 * Resolves once the text is on the screen or has been printed. Rejects with terminal-not-found, invalid-cursor, and
 * when the scope ends.
 */
export async function untilText(
  { screens }: Pick<TextParts, 'screens'>,
  id: string,
  text: string,
  { since, from, echo }: TextRange,
  scope: Scope,
): Promise<Outcome> {
  const look = (after: string | undefined, signal: AbortSignal) =>
    screens.until(id, { kind: 'text', text, since: after, echo }, scope.leftMs, signal);
  await retryAcrossShardRestart(scope.signal, (attempt) => {
    if (attempt === 0 || since !== undefined) return look(since, scope.signal);
    // A successor of the shard has not seen the output that came meanwhile, so it looks in everything after `from`, too: that
    // output may have left the screen. The text may have begun before `from`, so the screen is looked at as before.
    return within(scope.signal, (inner) => firstOf(look(from, inner), look(undefined, inner)));
  });
  return { done: true, reason: 'text', match: text };
}

/** Resolves with what the first of two searches finds. Rejects once both have failed. */
function firstOf<Found>(one: Promise<Found>, other: Promise<Found>): Promise<Found> {
  return Promise.race([one.catch(() => other), other.catch(() => one)]);
}

/**
 * Resolves once the regular expression matches, or takes too long. Tries it on the output so far and on the screen,
 * again after each new output. Rejects like {@link untilText}.
 */
export async function untilMatch(
  { screens, patterns }: TextParts,
  id: string,
  { pattern, since, from, echo, isNow }: PatternRange,
  scope: Scope,
): Promise<Outcome> {
  const { signal } = scope;
  const programs = echo ? undefined : { withScreen: since === undefined };
  const { position } = decodeCursor(from, Number.POSITIVE_INFINITY);
  let text = '';
  for (let cursor = from; ; ) {
    const begin = performance.now();
    const look = await retryAcrossShardRestart(signal, () => screens.look(id));
    // Output that is read from its beginning comes out as on the screen; beyond MAX_REGEX_WHOLE_BYTES each piece is
    // read by itself.
    const isWhole = look.position - position <= MAX_REGEX_WHOLE_BYTES;
    const start = isWhole ? from : cursor;
    const range = { start, end: look.cursor, raw: false, maxBytes: MAX_REGEX_TEXT_CHARS, programs };
    const printed = await retryAcrossShardRestart(signal, () => screens.rangeText(id, range));
    cursor = look.cursor;
    // The first text continues the last text of the piece before it.
    const [first = '', ...others] = printed.programs ?? [printed.text];
    const pieces = [`${isWhole ? '' : text}${first}`.slice(-MAX_REGEX_TEXT_CHARS), ...others];
    text = pieces.at(-1)!;
    const texts = printed.programs ? programTexts(pieces, look, since) : textsOf(text, look, since);
    const answer = await patterns.match(pattern, texts, signal);
    if (answer.kind === 'found') return { done: true, reason: 'text', match: answer.match };
    if (answer.kind === 'too-slow') return { done: false, reason: 'regex-too-slow' };
    if (isNow) return { done: false, reason: 'timeout' };
    await pause(Math.max(REGEX_INTERVAL_MS, REGEX_REST_SHARE * (performance.now() - begin)), signal);
    const awaited = { kind: 'output', after: look.position } as const;
    await within(signal, (inner) => {
      const output = retryAcrossShardRestart(inner, () => screens.until(id, awaited, scope.leftMs, inner));
      // Lines that a background program has printed at a prompt count only once it has been quiet for BACKGROUND_MS.
      const isPending = printed.programs !== undefined && look.quietMs < BACKGROUND_MS;
      return isPending ? Promise.race([output, pause(BACKGROUND_MS - look.quietMs, inner)]) : output;
    });
  }
}

/**
 * Returns the last texts that programs have printed, about MAX_REGEX_TEXT_CHARS. Without `since`, returns the whole
 * screen where a program uses the alternate screen, since the program draws all of it.
 */
function programTexts(
  texts: readonly string[],
  { shown, modes }: ScreenStatus,
  since: string | undefined,
): string[] {
  if (modes.altScreen && since === undefined) return [shown];
  let left = MAX_REGEX_TEXT_CHARS;
  const last = texts.toReversed().filter((text) => {
    left -= text.length;
    return text !== '' && left + text.length > 0;
  });
  return last.reverse();
}

/**
 * Returns the printed text and the screen. Leaves the screen out where it may be older than `since`, except for the
 * alternate screen, since a program draws all of it. Programs fill lines with blanks there, so the screen is also
 * returned without trailing blanks.
 */
function textsOf(text: string, { shown, rows, modes }: ScreenStatus, since: string | undefined): string[] {
  const showsScreen = since === undefined || modes.altScreen;
  const texts = new Set([text, ...(showsScreen ? [shown, rows.join('\n')] : [])]);
  return [...texts].filter((each) => each !== '');
}
