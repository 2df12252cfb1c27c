import { StringDecoder } from 'node:string_decoder';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import type { AttachEvent, Attachment } from '../../client/attachment.js';
import { AutoTerminalError } from '../../client/errors.js';
import type { Terminal } from '../../client/terminal.js';
import type { Capture } from '../../client/types.js';
import { Typist } from '../../client/typist.js';
import { HeldTerminal, isGone } from '../outer/held-terminal.js';
import type { OuterOut } from '../outer/outer-terminal.js';
import type { AttachEnd } from './attach-end.js';
import { DetachKeys, type Key, type Typed } from './detach-keys.js';
import { View } from './view.js';

/** Time for the rest of a sequence that a read has cut; then a held ESC is the Escape key. */
const REST_OF_KEY_MS = 25;

/** Longest wait for a service that hangs, at the end. */
const LEAVE_MS = 2_000;

interface SessionOptions {
  terminal: Terminal;
  stdin: ReadStream;
  stdout: OuterOut;
  isReadOnly: boolean;
  keys: readonly Key[];
  name: string;
  clientName: string;
  signal?: AbortSignal | undefined;
}

/** One attachment, from the first screen until the person's terminal is restored. */
export class Session {
  readonly #options: SessionOptions;
  readonly #held: HeldTerminal;
  readonly #attachment: Attachment;
  readonly #view: View;
  readonly #typist: Typist;
  readonly #keys: DetachKeys;
  readonly #decoder = new StringDecoder('utf8');
  readonly #stopping = new AbortController();
  #restOfKey: NodeJS.Timeout | undefined;
  #end: (end: AttachEnd) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  readonly #ended = new Promise<AttachEnd>((resolve, reject) => {
    this.#end = resolve;
    this.#fail = (error) => (isGone(error) ? resolve(HUNG_UP) : reject(error));
  });

  constructor(options: SessionOptions) {
    this.#options = options;
    const { terminal, isReadOnly, name } = options;
    this.#held = new HeldTerminal({
      ...{ stdin: options.stdin, stdout: options.stdout },
      enter: () => this.#view.begin(),
      leave: () => this.#view.leave(),
      onData: (data) => this.#read(data),
      onResize: () => this.#resized(),
      onSignal: (signal) => this.#end({ reason: 'signal', signal }),
      onFault: (error) => this.#fail(error),
    });
    const { outer } = this.#held;
    this.#attachment = terminal.attach({
      ...outer.size,
      ...{ readOnly: isReadOnly, name: options.clientName, signal: this.#stopping.signal },
    });
    this.#view = new View({
      outer,
      ...{ name, isReadOnly },
      redraw: () => this.#ask(this.#attachment.redraw()),
      capture: () => this.#capture(),
      onFault: (error) => this.#fail(error),
    });
    this.#typist = new Typist(
      (text) => this.#attachment.type(text),
      () => this.#view.bell(),
    );
    this.#keys = new DetachKeys(options.keys);
  }

  /** Whether the person's terminal is gone, or accepts no more output. */
  get isLost(): boolean {
    return this.#held.isLost;
  }

  async run(): Promise<AttachEnd> {
    // Without this, a failure before the `await` below would be an unhandled rejection.
    this.#ended.catch(() => undefined);
    const { signal } = this.#options;
    // Listens from the start: a service may accept the connection and never answer.
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
    const followed = this.#follow();
    followed.then(this.#end, this.#fail);
    try {
      return await this.#ended;
    } finally {
      signal?.removeEventListener('abort', this.#onAbort);
      clearTimeout(this.#restOfKey);
      await this.#held.release();
      await Promise.race([
        this.#attachment.detach().catch(() => undefined),
        pause(LEAVE_MS, undefined, { ref: false }),
      ]);
      this.#stopping.abort();
      // If the terminal is lost, this may wait for its output for ever.
      if (!this.isLost) await followed.catch(() => undefined);
    }
  }

  async #follow(): Promise<AttachEnd> {
    let isBegun = false;
    for await (const event of this.#attachment) {
      // The person's terminal is left untouched until the service has answered.
      if (!isBegun) await this.#begin();
      isBegun = true;
      const end = await this.#take(event);
      if (end) return end;
    }
    return { reason: 'detached' };
  }

  async #begin(): Promise<void> {
    this.#typist.isOpen = true;
    await this.#held.take();
    // The outer terminal may have been resized since its size was sent to the service.
    this.#resized();
  }

  /** Takes an event; returns the end of the attachment if the event ends it. */
  async #take(event: AttachEvent): Promise<AttachEnd | undefined> {
    switch (event.type) {
      case 'reset':
        this.#typist.isOpen = true;
        await this.#view.reset(event.data, event);
        return undefined;
      case 'output':
        await this.#view.output(event.data);
        return undefined;
      case 'resized':
        this.#view.resized(event);
        return undefined;
      case 'disconnected':
        this.#typist.isOpen = false;
        await this.#view.disconnected();
        return undefined;
      case 'exited':
        return { reason: 'exited', exitCode: event.exitCode, signal: event.signal };
      case 'removed':
        return { reason: 'removed' };
      case 'detached':
        return { reason: event.reason === 'removed' ? 'removed' : 'detached' };
    }
  }

  readonly #onAbort = () => this.#end({ reason: 'signal', signal: 'SIGINT' });

  #resized(): void {
    this.#view.outerResized();
    this.#ask(this.#attachment.resize(this.#held.outer.size));
  }

  #read(data: Buffer): void {
    clearTimeout(this.#restOfKey);
    this.#typed(this.#keys.take(this.#decoder.write(data)));
    if (this.#keys.isIncomplete)
      this.#restOfKey = setTimeout(() => this.#typed(this.#keys.flush()), REST_OF_KEY_MS);
  }

  #typed({ text, isDetached }: Typed): void {
    if (!this.#options.isReadOnly) this.#typist.type(text);
    if (isDetached) this.#end({ reason: 'detached' });
  }

  async #capture(): Promise<Capture | undefined> {
    try {
      return await this.#options.terminal.capture({ signal: this.#stopping.signal });
    } catch (error) {
      // The events report the end of the terminal or of the connection.
      if (error instanceof AutoTerminalError || this.#stopping.signal.aborted) return undefined;
      throw error;
    }
  }

  /** Ignores failures of a request whose effect the events show. */
  #ask(answer: Promise<void>): void {
    answer.catch((error: unknown) => {
      // Without a connection, the next one begins with the screen and with this size.
      if (!(error instanceof AutoTerminalError)) this.#fail(error);
    });
  }
}

const HUNG_UP: AttachEnd = { reason: 'signal', signal: 'SIGHUP' };
