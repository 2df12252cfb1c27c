import type { FleetTerminal } from '../fleet/after-event.js';
import { type Filter, holds, type Sort, sorted } from '../fleet/filter.js';
import { statusOf } from '../fleet/status.js';

/** A line of the wall. */
export type WallRow =
  | { kind: 'group'; key: string; name: string; count: number }
  | { kind: 'tiles'; key: string; ids: readonly string[] }
  | { kind: 'folded'; key: string; group: string; count: number; isOpen: boolean };

export interface WallOptions {
  filter: Filter;
  sort: Sort;
  /** Name of the label by which the terminals are grouped. */
  group: string | undefined;
  columns: number;
  /** Groups whose idle terminals are shown. */
  unfolded: ReadonlySet<string>;
}

/** With fewer idle terminals than this, folding them away would save nothing. */
const FOLD_FROM = 6;

/** Returns the ids of the terminals in the order in which the wall shows them. */
export function wallOrder(terminals: Iterable<FleetTerminal>, { filter, sort }: WallOptions): string[] {
  const shown = [...terminals].filter((terminal) => holds(filter, terminal));
  return sorted(shown, sort).map(({ id }) => id);
}

/** Keeps the order that a person looks at: terminals that are gone leave it, and new terminals come at its end. */
export function keptOrder(before: readonly string[], now: readonly string[]): string[] {
  const present = new Set(now);
  const kept = before.filter((id) => present.has(id));
  const known = new Set(kept);
  return [...kept, ...now.filter((id) => !known.has(id))];
}

export function wallRows(
  order: readonly string[],
  terminals: ReadonlyMap<string, FleetTerminal>,
  { filter, group, columns, unfolded }: WallOptions,
): WallRow[] {
  const groups = new Map<string, FleetTerminal[]>();
  for (const id of order) {
    const terminal = terminals.get(id);
    if (!terminal) continue;
    const name = group === undefined ? '' : (terminal.labels[group] ?? '');
    const members = groups.get(name);
    if (members) members.push(terminal);
    else groups.set(name, [terminal]);
  }
  // A filter by status may ask for idle terminals, which must then be shown.
  const mayFold = filter.statuses.size === 0;
  return [...groups].flatMap(([name, members]) => {
    const idle = mayFold ? members.filter((each) => statusOf(each) === 'idle') : [];
    const isFolding = idle.length >= FOLD_FROM && idle.length < members.length;
    const isOpen = unfolded.has(name);
    const shown = isFolding && !isOpen ? members.filter((each) => statusOf(each) !== 'idle') : members;
    const rows: WallRow[] = [];
    if (group !== undefined) {
      const title = name === '' ? `without ${group}` : `${group}=${name}`;
      rows.push({ kind: 'group', key: `group ${name}`, name: title, count: members.length });
    }
    for (let from = 0; from < shown.length; from += columns) {
      const ids = shown.slice(from, from + columns).map(({ id }) => id);
      rows.push({ kind: 'tiles', key: `tiles ${name} ${from}`, ids });
    }
    if (isFolding) {
      rows.push({ kind: 'folded', key: `folded ${name}`, group: name, count: idle.length, isOpen });
    }
    return rows;
  });
}
