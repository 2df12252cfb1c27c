import type { Entry } from './needs.js';

/**
 * Returns the entries to show: the queue, and the entry into which a person types, at its place, even if it has left
 * the queue. Otherwise the person's next keys would reach the next card.
 *
 * @param before - what was shown
 * @param heldKey - the entry into which somebody types
 */
export function shownOf(
  entries: readonly Entry[],
  before: readonly Entry[],
  heldKey: string | undefined,
): readonly Entry[] {
  if (heldKey === undefined || entries.some(({ need }) => need.key === heldKey)) return entries;
  const at = before.findIndex(({ need }) => need.key === heldKey);
  const held = before[at];
  if (!held) return entries;
  const earlier = new Set(before.slice(0, at).map(({ need }) => need.key));
  const place = entries.findLastIndex(({ need }) => earlier.has(need.key)) + 1;
  return entries.toSpliced(place, 0, held);
}

/** Returns the entry to go to after an entry is handled: the next that counts, from its place on and around. */
export function nextAfter(
  entries: readonly Entry[],
  key: string | undefined,
  step: 1 | -1 = 1,
): Entry | undefined {
  const at = entries.findIndex(({ need }) => need.key === key);
  for (let i = 1; i <= entries.length; i++) {
    const start = at < 0 && step < 0 ? 0 : at;
    const entry = entries[(start + i * step + entries.length * 2) % entries.length];
    if (entry?.isCounted && entry.need.key !== key) return entry;
  }
  return undefined;
}
