import { randomInt } from 'node:crypto';
import type { Shelf } from '../../store/store.js';
import { EVENTS, eventRecordId, FACTS, type Fact, HEAD, type Head, type KeptLogRecord } from './kept-log.js';
import { type LoggedEvent, withBytes } from './logged-event.js';

/** The log that an earlier service has left. */
export interface LeftLog {
  head: Head;
  /** Events from `head.first` on. */
  events: LoggedEvent[];
  facts: Map<string, Fact>;
}

/** Facts that decide whether the log on disk holds every event that was sent. */
export interface ReadOptions {
  /** Id of the machine's present boot; null if the system does not report it. */
  boot: string | null;
}

/**
 * Reads the log from the disk. Returns undefined if it may lack an event that clients have received: because a part of
 * it is missing or cannot be read, or because the machine stopped before it was closed, which may have cost the last
 * writes.
 */
export function readLog(shelf: Shelf<KeptLogRecord>, { boot }: ReadOptions): LeftLog | undefined {
  const head = shelf.get(HEAD);
  if (head?.kind !== 'head') return undefined;
  if (head.isOpen && (boot === null || head.boot !== boot)) return undefined;
  const events: LoggedEvent[] = [];
  for (let n = head.first; n <= head.last; n++) {
    const record = shelf.get(eventRecordId(n));
    if (record?.kind !== 'event') return undefined;
    const { type, terminalId, labels, json } = record;
    events.push(withBytes({ type, terminalId, labels, json }));
  }
  // There are more events than the head knows of: the head is older than they are.
  if (shelf.ids(EVENTS).length !== events.length) return undefined;
  const facts = new Map<string, Fact>();
  for (const id of shelf.ids(FACTS)) {
    const fact = shelf.get(id);
    if (!fact || fact.kind === 'head' || fact.kind === 'event') return undefined;
    facts.set(id.slice(FACTS.length), fact);
  }
  return { head, events, facts };
}

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const EPOCH_CHARS = 8;

/** Returns a new random epoch. */
export function newEpoch(): string {
  return Array.from({ length: EPOCH_CHARS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}
