import { FetchTransport } from './browser/fetch-transport.js';
import { Client } from './client.js';

export type { AttachEvent, Attachment, AttachOptions } from './attachment.js';
export * from './errors.js';
export type { EventsOptions, Reset, ServiceEvent } from './events.js';
export type { RunHandle, TerminalRun } from './run.js';
export type { Selection } from './selection.js';
export type { Terminal } from './terminal.js';
export type * from './types.js';
export type { LiveOutput, WatchOptions } from './watch.js';

export interface ConnectOptions {
  /** Origin of the API. */
  url: string;
  /** The setting `network.authToken`, if the service asks for it. */
  token?: string;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

/** The service, for pages. */
export class AutoTerminal extends Client {
  /** Returns the service at an origin. Nothing is sent before the first call. */
  static connect({ url, token, headers }: ConnectOptions): AutoTerminal {
    return new AutoTerminal(new FetchTransport(url, token), headers);
  }
}
