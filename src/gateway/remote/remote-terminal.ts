import { DomainError } from '../../contract/errors.js';
import { FLEET_STREAM_RETRY_MS } from '../../contract/limits.js';
import type { FollowEnd, FollowedStream } from '../../fleet/streams/followed-stream.js';
import {
  LiveTold,
  type LiveWish,
  type ToldClient,
  type WishedClient,
} from '../../fleet/streams/live-wire.js';
import type { StreamEnd } from '../../fleet/streams/stream-wire.js';
import type { StreamsOut } from '../../fleet/streams/streams-out.js';

export interface RemoteTerminalOptions {
  machineId: string;
  terminalId: string;
  streams: Pick<StreamsOut, 'open'>;
  onMessage: (kind: number, bytes: Uint8Array<ArrayBuffer>) => void;
  /** Called when a stream was lost and another has begun: output may be missing. */
  onBegunAnew: () => void;
  /** Called when the terminal cannot be watched, or can no longer be watched. */
  onEnded: (end: StreamEnd) => void;
}

/** One terminal of another machine that is watched here, by one stream for all of its watchers. */
export class RemoteTerminal {
  readonly #options: RemoteTerminalOptions;
  readonly #over = new AbortController();
  /** Resolves once the first try to open a stream is over. */
  readonly opened: Promise<void>;
  #stream: FollowedStream | undefined;
  #wish: LiveWish = { screens: 0, version: 0, clients: [] };
  /** Listeners for the owner's report about the clients, each from a version on. */
  #waiting: { version: number; take: (clients: readonly ToldClient[]) => void }[] = [];

  constructor(options: RemoteTerminalOptions) {
    this.#options = options;
    let first = () => {};
    this.opened = new Promise((resolve) => {
      first = resolve;
    });
    void this.#follow(first);
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** Asks for the screen. */
  ask(): void {
    this.#change({ screens: this.#wish.screens + 1 });
  }

  /** Sets which clients are attached; resolves with the owner's report about them. Rejects with `unavailable` at the end. */
  attach(clients: readonly WishedClient[]): Promise<readonly ToldClient[]> {
    const version = this.#wish.version + 1;
    this.#change({ version, clients: [...clients] });
    return new Promise((resolve, reject) => {
      const ended = () => reject(new DomainError('unavailable'));
      if (this.isOver) return ended();
      this.#over.signal.addEventListener('abort', ended, { once: true });
      const take = (told: readonly ToldClient[]) => {
        this.#over.signal.removeEventListener('abort', ended);
        resolve(told);
      };
      this.#waiting.push({ version, take });
    });
  }

  close(): void {
    if (this.isOver) return;
    this.#over.abort();
    this.#stream?.close();
  }

  /** Ends it, since the owner has broken the protocol. */
  fail(error: string): void {
    if (this.isOver) return;
    this.close();
    this.#options.onEnded({ code: 'internal', error });
  }

  #change(change: Partial<LiveWish>): void {
    this.#wish = { ...this.#wish, ...change };
    this.#stream?.wish(this.#wish);
  }

  async #follow(first: () => void): Promise<void> {
    for (let isFirst = true; !this.isOver; isFirst = false) {
      const end = await this.#session(first, isFirst).catch((error: unknown) => endOf(error));
      first();
      if (this.isOver) return;
      if (end !== 'lost') {
        this.#over.abort();
        this.#options.onEnded(end);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, FLEET_STREAM_RETRY_MS));
    }
  }

  /** Follows one stream; resolves with how it has ended. */
  async #session(first: () => void, isFirst: boolean): Promise<FollowEnd> {
    const { machineId, terminalId, streams, onMessage, onBegunAnew } = this.#options;
    let ended: (end: FollowEnd) => void = () => {};
    const over = new Promise<FollowEnd>((resolve) => {
      ended = resolve;
    });
    const url = `/api/terminals/${encodeURIComponent(terminalId)}/live`;
    const handlers = { onMessage, onTold: (told: unknown) => this.#onTold(told), onEnd: ended };
    const stream = await streams.open(machineId, url, handlers, this.#over.signal);
    this.#stream = stream;
    if (this.isOver) stream.close();
    else {
      // The owner counts anew for each stream, and the clients of an earlier stream have left with it.
      this.#wish = {
        ...this.#wish,
        screens: isFirst ? this.#wish.screens : 0,
        version: this.#wish.version + 1,
      };
      if (!isFirst) onBegunAnew();
      stream.wish(this.#wish);
      first();
    }
    return over;
  }

  #onTold(said: unknown): void {
    const told = LiveTold.safeParse(said);
    if (!told.success) return;
    const { version, clients } = told.data;
    const answered = this.#waiting.filter((each) => each.version <= version);
    this.#waiting = this.#waiting.filter((each) => each.version > version);
    for (const { take } of answered) take(clients);
  }
}

/** Returns the end of a stream that could not be opened: `lost` if another try may succeed. */
function endOf(error: unknown): FollowEnd {
  if (!(error instanceof DomainError)) return { code: 'internal', error: String(error) };
  const { code, message, details } = error;
  const mayPass = ['machine-unreachable', 'fleet-outcome-unknown', 'unavailable'].includes(code);
  if (mayPass) return 'lost';
  const { needs } = details as Pick<StreamEnd, 'needs'>;
  return { code, error: message, ...(needs !== undefined && { needs }) };
}
