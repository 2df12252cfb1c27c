import type { FleetTerminal } from '../fleet/after-event.js';
import type { Filter } from '../fleet/filter.js';

/** Targets of a command, and the terminals that they name at this moment. Never all terminals unless a person has chosen all. */
export interface BatchTargets {
  /** Ids, or a selector of labels that the service looks up when the command is run. */
  select: string | readonly string[];
  /** The running terminals among them. */
  terminals: readonly FleetTerminal[];
  /** Chosen terminals that have exited, where nothing can run. */
  exited: number;
}

/** Returns the labels of the filter as a selector; undefined if the filter has no labels, or more than labels. */
function selectorOf({ labels, statuses, agents, words }: Filter): string | undefined {
  if (labels.length === 0 || statuses.size + agents.length + words.length > 0) return undefined;
  return labels.map(([name, value]) => `${name}=${value}`).join(',');
}

/**
 * Returns the targets of a command: the chosen terminals, else the terminals with the filter's labels; undefined if
 * there are neither.
 */
export function targetsOf(
  selected: ReadonlySet<string>,
  terminals: ReadonlyMap<string, FleetTerminal>,
  filter: Filter,
): BatchTargets | undefined {
  const selector = selected.size === 0 ? selectorOf(filter) : undefined;
  if (selector !== undefined) {
    const labelled = [...terminals.values()].filter(
      (each) =>
        each.status !== 'exited' && filter.labels.every(([name, value]) => each.labels[name] === value),
    );
    return labelled.length === 0 ? undefined : { select: selector, terminals: labelled, exited: 0 };
  }
  const known = [...selected].flatMap((id) => terminals.get(id) ?? []);
  const running = known.filter(({ status }) => status !== 'exited');
  if (known.length === 0) return undefined;
  return {
    select: running.map(({ id }) => id),
    terminals: running,
    exited: known.length - running.length,
  };
}

/** Returns the ids from `anchor` to `id` in the order in which they are shown; only `id` if the anchor is not shown. */
export function rangeOf(shown: readonly string[], anchor: string | undefined, id: string): readonly string[] {
  const from = anchor === undefined ? -1 : shown.indexOf(anchor);
  const to = shown.indexOf(id);
  if (from < 0 || to < 0) return [id];
  return shown.slice(Math.min(from, to), Math.max(from, to) + 1);
}

const NAMED = 3;

/** Returns the first names, and the number of further names. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - NAMED;
  const first = names.slice(0, NAMED).join(', ');
  return more > 0 ? `${first} and ${more.toLocaleString()} more` : first;
}
