import { FetchTransport } from './browser/fetch-transport.js';
import { Client } from './client.js';
import type { ClientOptions } from './requests.js';

export { RGB_COLOR, RUN_FLAGS } from '../contract/run-style.js';
export type { AttachEvent, Attachment, AttachOptions } from './attachment.js';
export * from './errors.js';
export type { EventsOptions, Reset, ServiceEvent } from './events.js';
export type { Lease } from './lease.js';
export type { RunHandle, TerminalRun } from './run.js';
export type { ScreenFrame, Screens, ScreensOptions, ScreenView } from './screens.js';
export type { Selection } from './selection.js';
export type { Terminal } from './terminal.js';
export type * from './types.js';
export { Typist } from './typist.js';
export type { LiveOutput, WatchOptions } from './watch.js';

export interface ConnectOptions extends ClientOptions {
  /** Origin of the API. */
  url: string;
}

/** The service, for pages. */
export class AutoTerminal extends Client {
  /** Returns the service at an origin. Nothing is sent before the first call. */
  static connect({ url, ...options }: ConnectOptions): AutoTerminal {
    return new AutoTerminal(new FetchTransport(url), options);
  }
}
