import { z } from 'zod';
import { label } from './strings.js';
import { TerminalSize } from './terminal.js';

/** Payload of a `command` by which a WebSocket client attaches to a terminal, or changes how it is attached. */
export const AttachCommand = TerminalSize.extend({
  action: z.literal('terminal:attach'),
  terminalId: z.string(),
  readOnly: z.boolean().default(false),
  name: label.default(''),
});

/** How a client attaches to a terminal. */
export type Attach = Pick<z.infer<typeof AttachCommand>, 'cols' | 'rows' | 'readOnly' | 'name'>;

/** Payload of a `command` that ends an attachment of the client. */
export const DetachCommand = z.object({ action: z.literal('terminal:detach'), terminalId: z.string() });

/** Payload of a `command` by which an attached client takes the lead of the terminal's size. */
export const LeadCommand = z.object({ action: z.literal('terminal:lead'), terminalId: z.string() });

/** Answer to a client about its own attachment. */
export interface Attachment extends TerminalSize {
  clientId: string;
  /** Whether the terminal has the size of this client. */
  isLeader: boolean;
}

/** A client that is attached to a terminal. */
export const AttachedClient = z
  .object({
    clientId: z.string().describe('The same for all terminals to which the client is attached'),
    terminalId: z.string(),
    name: z.string().describe('As the client calls itself; empty if it gives no name'),
    readOnly: z.boolean(),
    isLeader: z.boolean().describe('Whether the terminal follows the size of this client'),
    cols: z.int().describe('Columns of the client, which the terminal has while the client leads'),
    rows: z.int(),
    attachedAt: z.int().describe('Epoch milliseconds'),
    typedAt: z.int().nullable().describe('When it last typed, in epoch milliseconds'),
  })
  .meta({ id: 'AttachedClient' });
export type AttachedClient = z.infer<typeof AttachedClient>;

/**
 * Why a client is no longer attached: it asked for that, its connection closed, a request to the API detached it, the
 * program exited, or the terminal was closed.
 */
export type DetachReason = 'requested' | 'disconnected' | 'api' | 'exited' | 'removed';
