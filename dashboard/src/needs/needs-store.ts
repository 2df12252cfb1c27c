import { create } from 'zustand';
import type { FleetTerminal } from '../fleet/after-event.js';
import { useFleet } from '../fleet/fleet-store.js';
import { type Facts, factsAfter } from './facts.js';
import { changeMarks, followMarks, marksNow, storedFacts, storeFacts } from './marks-store.js';
import {
  type Entry,
  type Need,
  needsOf,
  prunedMarks,
  type Queue,
  queueOf,
  withAnswer,
  withDone,
  withoutDone,
  withSnooze,
} from './needs.js';

interface NeedsState extends Omit<Queue, 'changesAt'> {
  /** Whether the fleet has been listed. */
  isKnown: boolean;
  /** Key that this window marked as done last, for undo. */
  lastDone: string | undefined;
}

export const useNeeds = create<NeedsState>(() => ({
  isKnown: false,
  entries: [],
  snoozed: [],
  count: 0,
  lastDone: undefined,
}));

/** Facts change up to ten times a second; storing each change at once would cost too much. */
const STORE_AFTER_MS = 500;
/** A later timer would overflow. */
const MAX_TIMER_MS = 3_600_000;

/** Keys that this window has moved to the end. */
let skipped: readonly string[] = [];
let recompute: () => void = () => {};

function isSameEntry(a: Entry, b: Entry | undefined): boolean {
  return b !== undefined && a.need === b.need && a.answeredAt === b.answeredAt && a.isCounted === b.isCounted;
}

function isSameNeed(a: Need, b: Need | undefined): b is Need {
  return (
    b !== undefined &&
    a.key === b.key &&
    a.since === b.since &&
    a.isGuess === b.isGuess &&
    a.failure === b.failure
  );
}

/** Keeps the queue of needs. */
class NeedsKeeper {
  readonly #onNeeds: (needs: readonly Need[]) => void;
  #facts: Facts = storedFacts();
  #previous: ReadonlyMap<string, FleetTerminal> | undefined;
  #isListed = false;
  #needs = new Map<string, Need>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #storing: ReturnType<typeof setTimeout> | undefined;

  constructor(onNeeds: (needs: readonly Need[]) => void) {
    this.#onNeeds = onNeeds;
  }

  /** Follows the fleet, which matches the service only while the link is healthy. */
  fleet(): void {
    const { terminals, link } = useFleet.getState();
    // While the link is down, the page gets no events.
    if (link !== 'healthy') this.#previous = undefined;
    if (link !== 'healthy' || terminals === this.#previous) return;
    const facts = factsAfter(this.#facts, terminals, this.#previous);
    if (facts !== this.#facts) this.#storing ??= setTimeout(() => this.store(), STORE_AFTER_MS);
    this.#facts = facts;
    this.#previous = terminals;
    this.#isListed = true;
    const needs = needsOf(terminals.values(), facts).map((need) => {
      const before = this.#needs.get(need.key);
      return isSameNeed(need, before) ? before : need;
    });
    this.#needs = new Map(needs.map((need) => [need.key, need]));
    changeMarks((marks) => prunedMarks(marks, (id) => terminals.has(id)));
    this.queue();
    this.#onNeeds(needs);
  }

  queue(): void {
    if (!this.#isListed) return;
    const now = Date.now();
    const { changesAt, ...queue } = queueOf([...this.#needs.values()], marksNow(), skipped, now);
    clearTimeout(this.#timer);
    if (changesAt !== undefined) {
      this.#timer = setTimeout(() => this.queue(), Math.min(changesAt - now + 1, MAX_TIMER_MS));
    }
    const before = useNeeds.getState();
    const known = new Map(before.entries.map((entry) => [entry.need.key, entry]));
    const entries = queue.entries.map((entry) => {
      const same = known.get(entry.need.key);
      return isSameEntry(entry, same) ? same! : entry;
    });
    const isSame =
      before.isKnown && isSameList(entries, before.entries) && isSameList(queue.snoozed, before.snoozed);
    if (!isSame) useNeeds.setState({ ...queue, entries, isKnown: true });
  }

  store(): void {
    clearTimeout(this.#storing);
    this.#storing = undefined;
    if (this.#isListed) storeFacts(this.#facts);
  }

  stop(): void {
    this.store();
    clearTimeout(this.#timer);
  }
}

function isSameList<Item>(a: readonly Item[], b: readonly Item[]): boolean {
  return a.length === b.length && a.every((item, at) => item === b[at]);
}

/** Keeps the queue until the signal fires. Calls back with all needs whenever the fleet has changed. */
export function keepNeeds(signal: AbortSignal, onNeeds: (needs: readonly Need[]) => void): void {
  const keeper = new NeedsKeeper(onNeeds);
  recompute = () => keeper.queue();
  const leaveFleet = useFleet.subscribe(() => keeper.fleet());
  const leaveMarks = followMarks(recompute);
  const onHide = () => keeper.store();
  addEventListener('pagehide', onHide);
  signal.addEventListener('abort', () => {
    leaveFleet();
    leaveMarks();
    removeEventListener('pagehide', onHide);
    keeper.stop();
  });
  keeper.fleet();
}

export function markDone(key: string): void {
  changeMarks((marks) => withDone(marks, key));
  useNeeds.setState({ lastDone: key });
}

/** Undoes the last `markDone` of this window; returns its key. */
export function undoDone(): string | undefined {
  const { lastDone } = useNeeds.getState();
  if (lastDone === undefined) return undefined;
  changeMarks((marks) => withoutDone(marks, lastDone));
  useNeeds.setState({ lastDone: undefined });
  return lastDone;
}

export function snooze(key: string, minutes: number): void {
  changeMarks((marks) => withSnooze(marks, key, Date.now() + minutes * 60_000));
}

/** Brings back all snoozed needs. */
export function endSnoozes(): void {
  changeMarks((marks) => ({ ...marks, snoozed: {} }));
}

export function markAnswered(key: string): void {
  changeMarks((marks) => withAnswer(marks, key, Date.now()));
}

/** Moves an entry to the end, in this window. */
export function skip(key: string): void {
  skipped = [...skipped.filter((each) => each !== key), key];
  recompute();
}
