import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { MAX_FLEET_WAITING, MAX_FLEET_WAITING_BYTES, THREAD_YOUNG_HEAP_MIB } from '../../contract/limits.js';
import { CallEnd, Link } from '../link.js';
import type {
  FleetLinkApi,
  FleetLinkOptions,
  FromFleetLink,
  LinkState,
  Replied,
  ToFleetLink,
} from './protocol.js';
import { Slices } from './slices.js';

export interface FleetLinkClientOptions extends Omit<FleetLinkOptions, 'port'> {
  onState: (state: LinkState, reason: string | undefined, connection: number | undefined) => void;
  /** Called with each message that could not be sent, and why. */
  onFault?: (reason: string) => void;
  onMessage: (message: { subject: string; replyTo?: string; data: Uint8Array }) => void;
}

type Post = (message: ToFleetLink, transfer?: Parameters<MessagePort['postMessage']>[1]) => void;

/** The thread may take this much longer than the request that it sends. */
const SLACK_MS = 5_000;

/** The main thread's side of the thread that holds the connections to the hub. */
export class FleetLinkClient {
  /** Resolves with the reason when the thread has ended. */
  readonly died: Promise<Error>;
  readonly #link: Link<FleetLinkApi>;
  readonly #worker: Worker;
  readonly #post: Post;
  /** Requests without a reply so far, by the number that the thread gives back with it. */
  readonly #asked = new Map<number, (replied: Replied) => void>();
  #ids = 0;
  #isDead = false;

  constructor({ onState, onMessage, onFault, ...options }: FleetLinkClientOptions) {
    const { port1, port2 } = new MessageChannel();
    const post: Post = (message, transfer) => port1.postMessage(message, transfer);
    this.#post = post;
    const calls = new CallEnd((call, transfer) => post({ type: 'call', call }, transfer));
    port1.on('message', (message: FromFleetLink) => {
      if (message.type === 'replied') this.#asked.get(message.id)?.(message.replied);
      else if (message.type === 'reply') calls.take(message.reply);
      else if (message.type === 'state') onState(message.state, message.reason, message.connection);
      else if (message.type === 'fault') onFault?.(message.reason);
      else slices.add(message);
    });
    let taken = { requests: 0, bytes: 0 };
    const slices = new Slices<Parameters<typeof onMessage>[0]>((message) => {
      if (message.subject.startsWith('at1.q.')) taken.requests++;
      else taken.bytes += message.data.length;
      onMessage(message);
      // Reported in batches: unreported messages, an eighth of the limit at most, still count as waiting.
      if (taken.requests < MAX_FLEET_WAITING / 8 && taken.bytes < MAX_FLEET_WAITING_BYTES / 8) return;
      post({ type: 'taken', ...taken });
      taken = { requests: 0, bytes: 0 };
    });
    this.#worker = new Worker(new URL('./main.js', import.meta.url), {
      workerData: { ...options, port: port2 } satisfies FleetLinkOptions,
      transferList: [port2],
      resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_HEAP_MIB },
    });
    this.died = new Promise((resolve) => {
      this.#worker.once('error', resolve);
      this.#worker.once('exit', (code) => resolve(new Error(`fleet link ended with code ${code}`)));
    });
    void this.died.then(() => {
      port1.close();
      this.#isDead = true;
      for (const settle of this.#asked.values()) settle({ kind: 'lost' });
    });
    this.#link = new Link(calls, this.died);
  }

  /** Sends a request. A thread that has ended, or does not answer, counts as a lost connection. */
  request(subject: string, data: Uint8Array, timeoutMs: number, inbox?: string): Promise<Replied> {
    const id = this.#ids++;
    return new Promise((resolve) => {
      const settle = (replied: Replied) => {
        clearTimeout(deadline);
        this.#asked.delete(id);
        resolve(replied);
      };
      const deadline = setTimeout(() => settle({ kind: 'lost' }), timeoutMs + SLACK_MS);
      this.#asked.set(id, settle);
      const own = inbox !== undefined && { inbox };
      this.#post({ type: 'request', id, subject, data: Uint8Array.from(data), timeoutMs, ...own });
      if (this.#isDead) settle({ kind: 'lost' });
    });
  }

  /** Sends messages on the connection for calls, or if `isBulk`, on the connection for answers. */
  publish(subject: string, messages: readonly Uint8Array[], isBulk = false): void {
    // Posting a view would copy its whole underlying buffer.
    const own = messages.map((data) => Uint8Array.from(data));
    this.#post({ type: 'publish', subject, messages: own, isBulk });
  }

  /** Sends messages as answers; resolves once the hub has taken them. Rejects with `unavailable` if the thread has ended. */
  deliver(subject: string, messages: readonly Uint8Array[]): Promise<void> {
    return this.#link.call((api) => api.deliver(subject, messages));
  }

  /** Sends a message on the connection for answers, unless that is broken. `data` moves to the thread. */
  send(subject: string, data: Uint8Array<ArrayBuffer>): void {
    this.#post({ type: 'send', subject, data }, [data.buffer]);
  }

  /** Ends the thread with its connections. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}
