import { z } from 'zod';
import type { Obstacle } from './admission.js';
import type { FleetEvent } from './fleet-event.js';
import type { LeaseChange } from './input-gate.js';
import { Selector } from './labels.js';
import { MAX_EVENT_FILTER_CHARS } from './limits.js';
import type { PromptEnd, PromptReason } from './prompt.js';
import type { RunHead, RunSummary } from './run.js';
import type { InputOrigin, Terminal } from './terminal.js';
import type { LifecycleEvent } from './ws-messages.js';

/** Types of the events that are kept, so that a client that resumes gets each of them. */
const KEPT_EVENT_TYPES = [
  'terminal.created',
  'terminal.updated',
  'terminal.resized',
  'terminal.exited',
  'terminal.removed',
  'command.started',
  'command.finished',
  'agent.status',
  'input.changed',
  'recording.started',
  'recording.stopped',
  'run.finished',
  'layout.changed',
  'canvas.changed',
  'settings.changed',
  'admission.queued',
  'admission.admitted',
  'admission.left',
  'admission.refused',
  'watch.matched',
  'watch.ended',
  'prompt.queued',
  'prompt.ended',
  'machine.joined',
  'machine.online',
  'machine.offline',
  'machine.left',
  'join.asked',
  'join.answered',
  'fleet.asked',
  'fleet.answered',
] as const;

/** Types of the events that clients can name. */
const EVENT_TYPES = [...KEPT_EVENT_TYPES, 'terminal.title', 'terminal.bell', 'terminal.activity'] as const;

/**
 * An event that only connected clients get, and only if they name its type: it has no id, and is not kept. Each type
 * comes at most once a second for a terminal.
 */
export type PassingEvent =
  /** A program has set another title; of several within a second, the last. */
  | { type: 'terminal.title'; terminalId: string; data: { title: string } }
  /** A program has rung the bell. */
  | { type: 'terminal.bell'; terminalId: string; data: Record<string, never> }
  /** The terminal has printed `bytes` since the event before. */
  | { type: 'terminal.activity'; terminalId: string; data: { bytes: number } };

/** An event that is kept and has an id. */
export type KeptEvent =
  | LifecycleEvent
  /** Name, labels or tab have changed. */
  | { type: 'terminal.updated'; terminalId: string; data: Terminal }
  /**
   * Another writer has begun to type, or a lease was taken or has ended. `source`: origin of the last typing; null if
   * unknown.
   */
  | {
      type: 'input.changed';
      terminalId: string;
      data: { source: InputOrigin | null; lease?: LeaseChange };
    }
  | { type: 'recording.started'; terminalId: string; data: { recordingId: string } }
  /** `truncated`: it was cut short. */
  | {
      type: 'recording.stopped';
      terminalId: string;
      data: { recordingId: string; truncated?: boolean | undefined };
    }
  | { type: 'run.finished'; terminalId?: undefined; data: EndedRun | UnknownRun }
  /** Tabs and panes, or the canvas, have changed in some way. */
  | { type: 'layout.changed' | 'canvas.changed'; terminalId?: undefined; data: Record<string, never> }
  /** Lines of a terminal have matched a watch; `text` is the latest of them. */
  | {
      type: 'watch.matched';
      terminalId: string;
      data: {
        watchId: string;
        name: string | null;
        count: number;
        text: string;
        webhooks?: string[] | undefined;
      };
    }
  /** A watch has reported its one event, or its time is over. */
  | { type: 'watch.ended'; terminalId?: undefined; data: { watchId: string; reason: 'once' | 'expired' } }
  /** A prompt waits for its terminal to be ready. */
  | { type: 'prompt.queued'; terminalId: string; data: { promptId: string } }
  /** A prompt has ended, in this state. */
  | {
      type: 'prompt.ended';
      terminalId: string;
      data: { promptId: string; state: PromptEnd; reason: PromptReason | null };
    }
  /** Names of the settings that have other values now. */
  | { type: 'settings.changed'; terminalId?: undefined; data: { settings: string[] } }
  /** A creation waits in line, or no longer does: it is admitted, its client has left, or its time is over. */
  | {
      type: 'admission.queued' | 'admission.admitted' | 'admission.left' | 'admission.refused';
      /** Id that its terminal will have. */
      terminalId: string;
      data: InLine;
    }
  | FleetEvent
  /** `refused` creations were refused at once since the event before, the last by this obstacle. */
  | { type: 'admission.refused'; terminalId?: undefined; data: { refused: number; obstacle: Obstacle } };

/** A creation in line, with the obstacle that it waits for, or has waited for last. */
interface InLine {
  name: string | null;
  priority: number;
  position: number;
  obstacle: Obstacle;
}

/** A run that has ended in each of its terminals. */
export interface EndedRun extends RunHead {
  summary: RunSummary;
}

/** A run whose record was lost with its service. */
interface UnknownRun {
  runId: string;
  state: 'unknown';
}

/** Position of a client in the log: the epoch of the log, and the number of the last event before it. */
export interface EventPosition {
  epoch: string;
  n: number;
}

const POSITION = /^([0-9a-z]{8})-(0|[1-9]\d{0,14})$/;

/** An event's id, as a client sends it to resume. */
const EventId = z
  .string()
  .regex(POSITION, 'must be the id of an event')
  .transform((text): EventPosition => {
    const [, epoch = '', n = ''] = POSITION.exec(text) ?? [];
    return { epoch, n: Number(n) };
  })
  .meta({ parameter: { type: 'string', pattern: POSITION.source } });

/** Returns the id of the event at a position. */
export function eventIdOf({ epoch, n }: EventPosition): string {
  return `${epoch}-${n}`;
}

/** A list in one parameter, comma-separated, or in several of the same name. */
const list = z
  .union([z.string().max(MAX_EVENT_FILTER_CHARS), z.array(z.string().max(MAX_EVENT_FILTER_CHARS))])
  .transform((texts) => {
    const items = [texts].flat().flatMap((text) => text.split(','));
    return [...new Set(items.map((item) => item.trim()))];
  })
  .meta({ parameter: { type: 'string' } });

/** Returns the types that a pattern matches: itself, or all types with the prefix before its `*`. */
function typesOf(pattern: string, types: readonly string[]): string[] {
  if (!pattern.endsWith('*')) return types.filter((type) => type === pattern);
  return types.filter((type) => type.startsWith(pattern.slice(0, -1)));
}

/** Returns the types of kept events that a pattern matches; none if there is no such type. */
export function keptTypesOf(pattern: string): string[] {
  return typesOf(pattern, KEPT_EVENT_TYPES);
}

const types = list
  .transform((patterns, context) => {
    const found = new Set<string>();
    for (const pattern of patterns) {
      const named = typesOf(pattern, EVENT_TYPES);
      for (const type of named) found.add(type);
      if (named.length > 0) continue;
      context.addIssue({ code: 'custom', message: 'names a type of events that does not exist' });
      return z.NEVER;
    }
    return found;
  })
  .describe(
    'Sends only events of these types, comma-separated; `agent.*` stands for all that begin with `agent.`',
  )
  .meta({ parameter: { type: 'string' } });

/** Query of `GET /api/events`. */
export const EventsQuery = z.object({
  since: EventId.optional().describe(
    'Id of the last event that the client has: sends all later events first. The header `Last-Event-ID` wins',
  ),
  types: types.optional(),
  terminals: list
    .refine((ids) => ids.every((id) => id !== ''), 'must name at least one terminal')
    .optional()
    .describe('Sends only events of these terminals, comma-separated'),
  selector: Selector.optional().describe(
    'Sends only events of terminals that had all of these labels at the time of the event, such as `role=test`',
  ),
});
export type EventsQuery = z.infer<typeof EventsQuery>;

/** Headers of `GET /api/events`. */
export const EventsHeaders = z.looseObject({
  'last-event-id': EventId.optional().describe(
    'Id of the last event that the client has; browsers send it by themselves when they connect again',
  ),
});
