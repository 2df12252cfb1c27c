import {
  BACKGROUND_MS,
  MAX_REGEX_TEXT_CHARS,
  MAX_REGEX_WHOLE_BYTES,
  REGEX_INTERVAL_MS,
  REGEX_REST_SHARE,
} from '../../contract/limits.js';
import type { Look } from '../../workers/shard/protocol.js';
import { decodeCursor } from '../../workers/shard/read-cursor.js';
import type { Screens } from '../screens.js';
import type { Outcome } from './outcome.js';
import type { Patterns } from './patterns.js';
import { pause, type Scope, within } from './scope.js';
import { throughShardDeaths } from './shard-deaths.js';

export interface TextParts {
  screens: Pick<Screens, 'until' | 'look' | 'stretch'>;
  patterns: Pick<Patterns, 'match'>;
}

/** Where a wait for a text looks. */
export interface TextRange {
  /** Only what was printed after this cursor counts; without it what the screen shows, and what comes. */
  since?: string | undefined;
  /** The cursor at the beginning of the wait, or `since`. */
  from: string;
  /** Also in prompts and what is typed there. */
  echo?: boolean;
}

/** A regular expression to wait for. */
export interface PatternRange extends TextRange {
  pattern: string;
  /** Tells how it is now: tried once. */
  isNow: boolean;
}

/** Resolves once the text is there. Rejects with terminal-not-found, invalid-cursor, and when the scope ends. */
export async function untilText(
  { screens }: Pick<TextParts, 'screens'>,
  id: string,
  text: string,
  { since, from, echo }: TextRange,
  scope: Scope,
): Promise<Outcome> {
  await throughShardDeaths(scope.signal, (attempt) => {
    // A second shard has not seen what came meanwhile.
    const awaited = { kind: 'text', text, since: attempt === 0 ? since : from, echo } as const;
    return screens.until(id, awaited, scope.leftMs, scope.signal);
  });
  return { done: true, reason: 'text', match: text };
}

/**
 * Resolves once the regular expression matches something, or takes too long on it: it is tried on what was printed so
 * far, and on the screen, again and again. Rejects as {@link untilText} does.
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
    const look = await throughShardDeaths(signal, () => screens.look(id));
    // Read from its beginning what was printed is as it stands on the screen; of more, each piece is by itself.
    const isWhole = look.position - position <= MAX_REGEX_WHOLE_BYTES;
    const start = isWhole ? from : cursor;
    const stretch = { start, end: look.cursor, raw: false, maxBytes: MAX_REGEX_TEXT_CHARS, programs };
    const printed = await throughShardDeaths(signal, () => screens.stretch(id, stretch));
    cursor = look.cursor;
    // Of programs, the last text goes on where the piece before it ended.
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
      const output = throughShardDeaths(inner, () => screens.until(id, awaited, scope.leftMs, inner));
      // Lines that a background program has printed at a prompt count once it is quiet.
      const isPending = printed.programs !== undefined && look.quietMs < BACKGROUND_MS;
      return isPending ? Promise.race([output, pause(BACKGROUND_MS - look.quietMs, inner)]) : output;
    });
  }
}

/** What programs have printed, the last of it, and all of the screen where a program draws that. */
function programTexts(texts: readonly string[], { shown, modes }: Look, since: string | undefined): string[] {
  if (modes.altScreen && since === undefined) return [shown];
  let left = MAX_REGEX_TEXT_CHARS;
  const last = texts.toReversed().filter((text) => {
    left -= text.length;
    return text !== '' && left + text.length > 0;
  });
  return last.reverse();
}

/**
 * What was printed, and what is on the screen unless that may be older than `since`: a program that uses the
 * alternate screen draws all of it. Programs fill lines with blanks there, so that it is tried without them as well.
 */
function textsOf(text: string, { shown, rows, modes }: Look, since: string | undefined): string[] {
  const showsScreen = since === undefined || modes.altScreen;
  const texts = new Set([text, ...(showsScreen ? [shown, rows.join('\n')] : [])]);
  return [...texts].filter((each) => each !== '');
}
