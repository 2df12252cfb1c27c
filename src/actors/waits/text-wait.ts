import { MAX_REGEX_TEXT_CHARS, REGEX_INTERVAL_MS, REGEX_REST_SHARE } from '../../contract/limits.js';
import type { Look } from '../../workers/shard/protocol.js';
import type { Screens } from '../screens.js';
import type { Outcome } from './outcome.js';
import type { Patterns } from './patterns.js';
import { pause, type Scope } from './scope.js';
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
}

/** Resolves once the text is there. Rejects with terminal-not-found, invalid-cursor, and when the scope ends. */
export async function untilText(
  { screens }: Pick<TextParts, 'screens'>,
  id: string,
  text: string,
  { since, from }: TextRange,
  scope: Scope,
): Promise<Outcome> {
  await throughShardDeaths(scope.signal, (attempt) => {
    // A second shard has not seen what came meanwhile.
    const awaited = { kind: 'text', text, since: attempt === 0 ? since : from } as const;
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
  pattern: string,
  { since, from }: TextRange,
  scope: Scope,
): Promise<Outcome> {
  const { signal } = scope;
  let text = '';
  for (let cursor = from; ; ) {
    const begin = performance.now();
    const look = await throughShardDeaths(signal, () => screens.look(id));
    const stretch = { start: cursor, end: look.cursor, raw: false, maxBytes: MAX_REGEX_TEXT_CHARS };
    const printed = await throughShardDeaths(signal, () => screens.stretch(id, stretch));
    cursor = look.cursor;
    text = `${text}${printed.text}`.slice(-MAX_REGEX_TEXT_CHARS);
    const answer = await patterns.match(pattern, textsOf(text, look, since), signal);
    if (answer.kind === 'found') return { done: true, reason: 'text', match: answer.match };
    if (answer.kind === 'too-slow') return { done: false, reason: 'regex-too-slow' };
    await pause(Math.max(REGEX_INTERVAL_MS, REGEX_REST_SHARE * (performance.now() - begin)), signal);
    const awaited = { kind: 'output', after: look.position } as const;
    await throughShardDeaths(signal, () => screens.until(id, awaited, scope.leftMs, signal));
  }
}

/** What is on the screen may be older than `since`, unless a program draws all of it. */
function textsOf(text: string, { rows, modes }: Look, since: string | undefined): string[] {
  const showsScreen = since === undefined || modes.altScreen;
  return [text, ...(showsScreen ? [rows.join('\n')] : [])].filter((each) => each !== '');
}
