import type { FleetTerminal } from '../fleet/after-event.js';
import type { Filter } from '../fleet/filter.js';

/** Where a command would run, and which terminals that is at this moment. Never "all" unless a person has chosen all. */
export interface BatchTargets {
  /** Ids, or a selector of labels that the service looks up when the command is run. */
  select: string | readonly string[];
  /** The running terminals among them. */
  terminals: readonly FleetTerminal[];
  /** Chosen terminals that have exited, where nothing can run. */
  exited: number;
}

/** Returns the labels of the filter as a selector; undefined if the filter asks for more or less than labels. */
function selectorOf({ labels, statuses, agents, words }: Filter): string | undefined {
  if (labels.length === 0 || statuses.size + agents.length + words.length > 0) return undefined;
  return labels.map(([name, value]) => `${name}=${value}`).join(',');
}

/**
 * Returns where a command would run: in the chosen terminals, else in those with the labels of the filter; undefined if
 * neither says anything.
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

/** Returns the first names, and how many more there are. */
export function namesOf(names: readonly string[]): string {
  const more = names.length - NAMED;
  const first = names.slice(0, NAMED).join(', ');
  return more > 0 ? `${first} and ${more.toLocaleString()} more` : first;
}
