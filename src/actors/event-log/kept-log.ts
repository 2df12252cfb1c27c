import { z } from 'zod';
import { AgentState } from '../../contract/agent.js';
import { Labels } from '../../contract/labels.js';
import type { Codec } from '../../store/store.js';

/** Says which events are on disk. Without this record, the events on disk count for nothing. */
const Head = z.object({
  kind: z.literal('head'),
  epoch: z.string(),
  /** Numbers of the oldest and the newest event; `last` is `first - 1` if there is none. */
  first: z.int().min(1),
  last: z.int().min(0),
  /** Whether the log is open; false once it was closed with every event in it. */
  isOpen: z.boolean(),
  /** Id of the machine's boot during which it was written; null if the system does not report it. */
  boot: z.string().nullable(),
});
export type Head = z.infer<typeof Head>;

const EventRecord = z.object({
  kind: z.literal('event'),
  type: z.string(),
  terminalId: z.string().optional(),
  // Checked when the event was made; thousands of events are read at the start.
  labels: z.record(z.string(), z.string()),
  json: z.string(),
});

/** State of a terminal according to the events so far. */
const TerminalFact = z.object({
  kind: z.literal('terminal'),
  status: z.enum(['running', 'exited']),
  name: z.string(),
  tabId: z.string(),
  labels: Labels,
  cols: z.int(),
  rows: z.int(),
  agent: AgentState.nullable(),
  input: z.enum(['user', 'api', 'mcp', 'fleet']).nullable(),
  /** Ids of the commands that have begun and not ended, and the position of the latest that has begun. */
  open: z.array(z.string()),
  begun: z.number(),
});
export type TerminalFact = z.infer<typeof TerminalFact>;

/** A recording that runs according to the events. */
const RecordingFact = z.object({ kind: z.literal('recording'), terminalId: z.string(), labels: Labels });

/** A run that has not ended. */
const RunFact = z.object({ kind: z.literal('run') });

/** The settings as of the last event, by their names: hashes, since a value may be a secret. */
const SettingsFact = z.object({ kind: z.literal('settings'), hashes: z.record(z.string(), z.string()) });

const Fact = z.discriminatedUnion('kind', [TerminalFact, RecordingFact, RunFact, SettingsFact]);
/** A fact that the log keeps beside the events, so that the next start can detect what has changed since. */
export type Fact = z.infer<typeof Fact>;

const KeptLogRecord = z.discriminatedUnion('kind', [Head, EventRecord, ...Fact.options]);
export type KeptLogRecord = z.infer<typeof KeptLogRecord>;

export const EVENT_LOG_CODEC: Codec<KeptLogRecord> = { version: 1, schema: KeptLogRecord };

export const HEAD = 'head';
export const EVENTS = 'event/';
export const FACTS = 'fact/';

const NUMBER_DIGITS = 15;

/** Returns the id of an event's record, so that ids are in the order of the events. */
export function eventRecordId(n: number): string {
  return EVENTS + String(n).padStart(NUMBER_DIGITS, '0');
}
