import { z } from 'zod';
import type { AgentChange } from './agent.js';
import type { AttachedClient, DetachReason } from './attach.js';
import type { Command } from './command.js';
import { EndLeaseQuery, gateFields, LeaseRequest, RenewBody } from './input-gate.js';
import { MAX_BATCH_TERMINALS } from './limits.js';
import { type ExitStatus, type Terminal, TerminalSize } from './terminal.js';
import { VERSION } from './version.js';

/** Query of the WebSocket upgrade request; every parameter is optional, and an extension of the plain stream. */
export const StreamQuery = z.object({
  terminals: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe('Sends only the output and events of these terminals, comma-separated'),
  events: z
    .enum(['lifecycle', 'all'])
    .optional()
    .describe(
      '`lifecycle` also sends lifecycle events of terminals, commands and agents; `all` sends every event of ' +
        '`GET /api/events`, of all terminals, besides `terminal.activity`',
    ),
  activity: z
    .enum(['0', '1'])
    .optional()
    .describe('1 also sends `terminal.activity`: which terminals print, and how much'),
  seq: z
    .enum(['0', '1'])
    .optional()
    .describe('1 adds `event.seq` to output events: the bytes that the terminal has printed so far'),
  snapshot: z
    .enum(['0', '1'])
    .optional()
    .describe(
      '1 begins each terminal with its screen: one output event with ESC c and the screen, and with `event.cols` and ' +
        '`event.rows`. Its output continues exactly from there. Includes `seq=1`',
    ),
  output: z.enum(['0', '1']).optional().describe('0 sends no output events'),
  screens: z
    .enum(['0', '1'])
    .optional()
    .describe('1 takes the actions `screens:watch` and `screens:resync`, and sends `screen.rows`'),
  origin: z
    .enum(['user', 'api'])
    .optional()
    .describe('Who types when this client types, as `lastInputSource` shows it; `api` when absent'),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

/** Any message of a client. The reply echoes `id`, whatever its type. */
export const ClientMessage = z.object({
  id: z.unknown().optional(),
  type: z.unknown().optional(),
  payload: z.unknown().optional(),
});

/** Payload of a `command` that types into a terminal. A command with an unknown action is ignored. */
export const InputCommand = z.object({
  action: z.literal('terminal:input'),
  terminalId: z.string(),
  data: z.string(),
  ...gateFields,
});

/** Payload of a `command` that takes the lease of a terminal. */
export const TakeLeaseCommand = LeaseRequest.extend({
  action: z.literal('lease:take'),
  terminalId: z.string(),
  /** `connection`: the lease ends with the WebSocket, at the latest. */
  tie: z.literal('connection').optional(),
});

/** Payload of a `command` that makes a lease last for `ttlMs` from now on. */
export const RenewLeaseCommand = RenewBody.extend({
  action: z.literal('lease:renew'),
  terminalId: z.string(),
});

/** Payload of a `command` that ends a lease. */
export const EndLeaseCommand = EndLeaseQuery.extend({
  action: z.literal('lease:end'),
  terminalId: z.string(),
});

/** Payload of a `command` that sets the size of a terminal. */
export const ResizeCommand = TerminalSize.extend({
  action: z.literal('terminal:resize'),
  terminalId: z.string(),
});

/** Payload of a `command` that replaces the terminals which the client watches. */
export const WatchCommand = z.object({
  action: z.literal('stream:watch'),
  terminals: z.union([z.literal('all'), z.array(z.string()).max(MAX_BATCH_TERMINALS)]),
});

/** Payload of a `command` that requests the screen of a watched terminal; its output continues from there. */
export const ResyncCommand = z.object({
  action: z.literal('stream:resync'),
  terminalId: z.string(),
});

/** Answer to one client message. */
export interface Reply {
  id: unknown;
  success: boolean;
  data?: object;
  error?: string;
  /** With `error`: the kind of failure. */
  code?: string;
  /** With `error`: what to do about it. */
  fix?: string;
  /** With `error`: the HTTP status of the same failure. */
  status?: number;
}

/** Returns the first frame of every connection. */
export function welcome(mode: string): Reply {
  return { id: 'welcome', success: true, data: { version: VERSION, mode } };
}

/** A change of a terminal, its commands, its agent or its clients; sent in the same envelope as output events. */
export type LifecycleEvent =
  | { type: 'terminal.created'; terminalId: string; data: Terminal }
  | {
      type: 'terminal.exited';
      terminalId: string;
      data: ExitStatus;
    }
  | { type: 'terminal.removed'; terminalId: string; data: Record<string, never> }
  | { type: 'terminal.resized'; terminalId: string; data: { cols: number; rows: number } }
  | { type: 'command.started' | 'command.finished'; terminalId: string; data: Command }
  | { type: 'agent.status'; terminalId: string; data: AgentChange }
  | { type: 'client.attached'; terminalId: string; data: AttachedClient }
  | {
      type: 'client.detached';
      terminalId: string;
      data: Pick<AttachedClient, 'clientId' | 'name'> & { reason: DetachReason };
    };

/** How much terminals have printed since the event before; each terminal comes at most once a second. */
export interface ActivityEvent {
  type: 'terminal.activity';
  data: { terminals: Array<[id: string, bytes: number]> };
}

/** Returns the text frame of an event. */
export function eventFrame(event: { type: string; terminalId?: string | undefined; data: object }): string {
  return JSON.stringify({ type: 'event', event, timestamp: new Date().toISOString() });
}
