import type { FleetTerminal } from '../fleet/after-event.js';
import type { Facts, Failure } from './facts.js';

/** Reason why a terminal needs a person. */
export type NeedKind = 'waiting' | 'failed' | 'exited';

/** One occurrence of a terminal that needs a person. */
export interface Need {
  /** Terminal, kind, and the moment or command: the next occurrence has another key. */
  key: string;
  terminalId: string;
  kind: NeedKind;
  /** Epoch milliseconds. */
  since: number;
  /** `since` is only the earliest moment at which it may have begun. */
  isGuess: boolean;
  /** The command that failed. */
  failure?: Failure;
}

function keyOf(terminalId: string, kind: NeedKind, occurrence: string | number): string {
  return `${terminalId} ${kind} ${occurrence}`;
}

/** Returns the id of the terminal that a key is about. */
function terminalOf(key: string): string {
  return key.slice(0, key.indexOf(' '));
}

function needOf(terminal: FleetTerminal, { waits, failed }: Facts): Need | undefined {
  const { id, status, exitCode, signal, exitedAt, createdAt } = terminal;
  if (status === 'exited') {
    if (exitCode === 0 && !signal) return undefined;
    const since = exitedAt ?? createdAt;
    return {
      key: keyOf(id, 'exited', exitedAt ?? 'unknown'),
      terminalId: id,
      kind: 'exited',
      since,
      isGuess: false,
    };
  }
  const wait = waits[id];
  if (wait) {
    const { since, isGuess } = wait;
    return { key: keyOf(id, 'waiting', since), terminalId: id, kind: 'waiting', since, isGuess };
  }
  const failure = failed[id];
  if (!failure) return undefined;
  const key = keyOf(id, 'failed', failure.commandId);
  return { key, terminalId: id, kind: 'failed', since: failure.endedAt, isGuess: false, failure };
}

/** Returns all needs, handled or not, oldest first. While an agent waits in a terminal, a failure there is left out. */
export function needsOf(terminals: Iterable<FleetTerminal>, facts: Facts): Need[] {
  const needs: Need[] = [];
  for (const terminal of terminals) {
    const need = needOf(terminal, facts);
    if (need) needs.push(need);
  }
  return needs.sort(oldestFirst);
}

function oldestFirst(a: Need, b: Need): number {
  return a.since - b.since || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);
}

/** Marks that people have set on needs, by key. All windows share them. */
export interface Marks {
  done: readonly string[];
  /** Ends of snoozes, in epoch milliseconds. */
  snoozed: Readonly<Record<string, number>>;
  /** Times of answers, in epoch milliseconds. */
  answered: Readonly<Record<string, number>>;
}

export const NO_MARKS: Marks = { done: [], snoozed: {}, answered: {} };

/** Drops marks of terminals that are gone, and returns the same object if there are none. */
export function prunedMarks(marks: Marks, isPresent: (terminalId: string) => boolean): Marks {
  const lives = (key: string) => isPresent(terminalOf(key));
  const { done, snoozed, answered } = marks;
  if ([...done, ...Object.keys(snoozed), ...Object.keys(answered)].every(lives)) return marks;
  const rest = (times: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(times).filter(([key]) => lives(key)));
  return { done: done.filter(lives), snoozed: rest(snoozed), answered: rest(answered) };
}

/** Most handled occurrences that are remembered of one terminal; commands in its shell may fail for days. */
const MAX_DONE_PER_TERMINAL = 50;

export function withDone(marks: Marks, key: string): Marks {
  const id = terminalOf(key);
  const others = marks.done.filter((each) => each !== key);
  const own = others.filter((each) => terminalOf(each) === id);
  const dropped = own.length >= MAX_DONE_PER_TERMINAL ? own[0] : undefined;
  return { ...marks, done: [...others.filter((each) => each !== dropped), key] };
}

export function withoutDone(marks: Marks, key: string): Marks {
  return { ...marks, done: marks.done.filter((each) => each !== key) };
}

export function withSnooze(marks: Marks, key: string, until: number | undefined): Marks {
  const { [key]: _, ...snoozed } = marks.snoozed;
  return { ...marks, snoozed: until === undefined ? snoozed : { ...snoozed, [key]: until } };
}

export function withAnswer(marks: Marks, key: string, at: number): Marks {
  return { ...marks, answered: { ...marks.answered, [key]: at } };
}

/** After this time an agent that still waits is counted again: it may have asked the next question unnoticed. */
export const ANSWER_HOLDS_MS = 10_000;

/** A need that is not done or snoozed. */
export interface Entry {
  need: Need;
  /** Time of the answer; undefined if there was none. */
  answeredAt: number | undefined;
  /** Whether it counts: it was not answered, or the answer had no effect. */
  isCounted: boolean;
}

export interface Queue {
  entries: Entry[];
  snoozed: Need[];
  count: number;
  /** Time at which the queue changes by the clock alone. */
  changesAt: number | undefined;
}

/**
 * Returns the queue of needs that are left to handle.
 *
 * @param skipped - keys that this window has put to the end, in that order
 */
export function queueOf(
  needs: readonly Need[],
  marks: Marks,
  skipped: readonly string[],
  now: number,
): Queue {
  const done = new Set(marks.done);
  const queue: Queue = { entries: [], snoozed: [], count: 0, changesAt: undefined };
  const changeAt = (at: number) => {
    queue.changesAt = Math.min(queue.changesAt ?? at, at);
  };
  for (const need of needs) {
    if (done.has(need.key)) continue;
    const until = marks.snoozed[need.key] ?? 0;
    if (until > now) {
      queue.snoozed.push(need);
      changeAt(until);
      continue;
    }
    const answeredAt = marks.answered[need.key];
    const lapsesAt =
      answeredAt === undefined ? 0 : need.kind === 'waiting' ? answeredAt + ANSWER_HOLDS_MS : Infinity;
    if (lapsesAt > now && lapsesAt < Infinity) changeAt(lapsesAt);
    const isCounted = lapsesAt <= now;
    if (isCounted) queue.count++;
    queue.entries.push({ need, answeredAt, isCounted });
  }
  const place = new Map(skipped.map((key, at) => [key, at]));
  queue.entries.sort((a, b) => (place.get(a.need.key) ?? -1) - (place.get(b.need.key) ?? -1));
  return queue;
}
