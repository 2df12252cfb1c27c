import type { FleetTerminal } from './after-event.js';
import { STATUSES, type Status, statusOf } from './status.js';

/**
 * A filter as a person types it: `role=test status:waiting agent:claude words`. All parts must hold. Words are looked
 * for in the name, the command line and the working directory.
 */
export interface Filter {
  labels: Array<[name: string, value: string]>;
  statuses: ReadonlySet<string>;
  agents: readonly string[];
  words: readonly string[];
}

export function filterOf(text: string): Filter {
  const labels: Filter['labels'] = [];
  const statuses = new Set<string>();
  const agents: string[] = [];
  const words: string[] = [];
  for (const part of text.split(/\s+/).filter(Boolean)) {
    const [, key = '', value = ''] = /^(status|agent):(.*)$/.exec(part) ?? [];
    const label = /^(?:label:)?([^=:]+)=(.*)$/.exec(part);
    if (key === 'status') statuses.add(value);
    else if (key === 'agent') agents.push(value.toLowerCase());
    else if (label) labels.push([label[1]!, label[2]!]);
    else words.push(part.toLowerCase());
  }
  return { labels, statuses, agents, words };
}

export function holds(filter: Filter, terminal: FleetTerminal): boolean {
  const { labels, statuses, agents, words } = filter;
  if (!labels.every(([name, value]) => terminal.labels[name] === value)) return false;
  if (statuses.size > 0 && !statuses.has(statusOf(terminal))) return false;
  if (agents.length > 0 && !agents.some((agent) => terminal.agent?.toLowerCase().includes(agent)))
    return false;
  const text =
    `${terminal.name}\n${terminal.command?.commandLine ?? ''}\n${terminal.cwd ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

export const SORTS = ['needs', 'name', 'recent', 'age'] as const;
export type Sort = (typeof SORTS)[number];

/** Names of the orders, as the page shows them. */
export const SORT_NAMES: Record<Sort, string> = {
  needs: 'needs you',
  name: 'name',
  recent: 'last command',
  age: 'newest',
};

const RANK: Record<Status, number> = Object.fromEntries(STATUSES.map((status, at) => [status, at])) as Record<
  Status,
  number
>;

const byName = new Intl.Collator(undefined, { numeric: true });

function recency({ command, exitedAt, createdAt }: FleetTerminal): number {
  return exitedAt ?? command?.endedAt ?? command?.startedAt ?? createdAt;
}

export function sorted(terminals: readonly FleetTerminal[], sort: Sort): FleetTerminal[] {
  const order: Record<Sort, (a: FleetTerminal, b: FleetTerminal) => number> = {
    needs: (a, b) => RANK[statusOf(a)] - RANK[statusOf(b)] || recency(a) - recency(b),
    name: (a, b) => byName.compare(a.name, b.name),
    recent: (a, b) => recency(b) - recency(a),
    age: (a, b) => b.createdAt - a.createdAt,
  };
  return [...terminals].sort(order[sort]);
}
