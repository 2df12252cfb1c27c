import { Client } from './client.js';
import { type FindOptions, findService } from './node/find.js';
import { HttpTransport } from './node/http-transport.js';

export type { AttachEvent, Attachment, AttachOptions } from './attachment.js';
export * from './errors.js';
export type { EventsOptions, Reset, ServiceEvent } from './events.js';
export type { FindOptions } from './node/find.js';
export type { RunHandle, TerminalRun } from './run.js';
export type { Selection } from './selection.js';
export type { Terminal } from './terminal.js';
export type * from './types.js';
export type { LiveOutput, WatchOptions } from './watch.js';

export interface ConnectOptions extends FindOptions {
  /** Sent with every request. */
  headers?: Record<string, string>;
}

/** The service, for programs of Node. */
export class AutoTerminal extends Client {
  /** Returns the service of this user, or the one that the options name. Nothing is sent before the first call. */
  static connect({ headers, ...find }: ConnectOptions = {}): AutoTerminal {
    return new AutoTerminal(new HttpTransport(() => findService(find)), headers);
  }
}
