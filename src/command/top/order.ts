import type { TerminalView } from '../../client/index.js';
import { labelsOf, runsOf, stateOf } from '../verbs/ls.js';
import { hasFailed } from './columns.js';

/** Sort keys of the table, in the order in which a key steps through them. */
export const SORTS = ['state', 'name', 'runs', 'last', 'age', 'labels'] as const;
export type Sort = (typeof SORTS)[number];

/** States, the most urgent first; ended terminals come last. */
const STATES: readonly string[] = ['waiting', 'working', 'busy', 'running', 'idle', 'prompt'];

/** Compares names as people do: `worker 2` comes before `worker 10`. */
const { compare } = new Intl.Collator('en', { numeric: true });

const ORDERS: Readonly<Record<Sort, (a: TerminalView, b: TerminalView) => number>> = {
  state: (a, b) => urgencyOf(a) - urgencyOf(b),
  name: (a, b) => compare(a.name, b.name),
  runs: (a, b) => compare(runsOf(a), runsOf(b)),
  // Failures first, then the commands that have begun or ended most recently.
  last: (a, b) => Number(hasFailed(b)) - Number(hasFailed(a)) || changedAt(b) - changedAt(a),
  // The youngest first.
  age: (a, b) => b.createdAt - a.createdAt,
  labels: (a, b) => compare(labelsOf(a.labels), labelsOf(b.labels)),
};

/** Returns the terminals sorted by this column; the sort is stable. */
export function sorted(views: readonly TerminalView[], sort: Sort): TerminalView[] {
  return [...views].sort(ORDERS[sort]);
}

/** Returns whether each word of the filter is in the name, the id, the labels or the program of a terminal. */
export function matches(view: TerminalView, filter: string): boolean {
  const { name, id, labels } = view;
  const text = [name, id, labelsOf(labels), runsOf(view), view.currentApp?.name ?? ''].join('\n');
  const lower = text.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}

function urgencyOf(view: TerminalView): number {
  const index = STATES.indexOf(stateOf(view));
  return index === -1 ? STATES.length : index;
}

function changedAt({ command }: TerminalView): number {
  return command?.endedAt ?? command?.startedAt ?? 0;
}
