import { MessageChannel, Worker } from 'node:worker_threads';
import { STREAM_ACK_BYTES, THREAD_YOUNG_HEAP_MIB } from '../../contract/limits.js';
import { CallEnd, Link } from '../link.js';
import type { ShardApi, ShardOptions, StreamMessage } from './protocol.js';
import { type FromShard, sizeOf, type ToShard } from './stream-port.js';

export interface ShardClientOptions extends Omit<ShardOptions, 'port'> {
  /**
   * Called with each event that the shard posts. Events and replies to calls come in the order in which the shard posts
   * them: microtasks that follow a reply run before the next event.
   */
  onStream: (message: StreamMessage) => void;
}

/** The main thread's side of one shard. */
export class ShardClient {
  readonly link: Link<ShardApi>;
  /** Resolves with the reason when the thread has ended. */
  readonly died: Promise<Error>;
  /** Undefined if the system lets no thread start: the shard has died at once then. */
  readonly #worker: Worker | undefined;

  constructor({ onStream, ...options }: ShardClientOptions) {
    const { port1, port2 } = new MessageChannel();
    let taken = 0;
    const post = (message: ToShard, transfer?: Parameters<typeof port1.postMessage>[1]) =>
      port1.postMessage(message, transfer);
    const calls = new CallEnd((call, transfer) => post({ type: 'call', call }, transfer));
    port1.on('message', (message: FromShard) => {
      if (message.type === 'reply') {
        calls.take(message.reply);
        return;
      }
      taken += sizeOf(message);
      onStream(message);
      if (taken < STREAM_ACK_BYTES) return;
      post({ type: 'taken', bytes: taken });
      taken = 0;
    });
    try {
      this.#worker = new Worker(new URL('./main.js', import.meta.url), {
        workerData: { ...options, port: port2 } satisfies ShardOptions,
        transferList: [port2],
        resourceLimits: { maxYoungGenerationSizeMb: THREAD_YOUNG_HEAP_MIB },
      });
      this.died = endOf(this.#worker);
    } catch (error) {
      this.died = Promise.resolve(error as Error);
    }
    void this.died.then(() => port1.close());
    this.link = new Link(calls, this.died);
  }

  /** Ends the thread; {@link died} follows. */
  async terminate(): Promise<void> {
    await this.#worker?.terminate();
  }
}

/** Resolves with the reason when the thread has ended. */
function endOf(worker: Worker): Promise<Error> {
  return new Promise((resolve) => {
    worker.once('error', resolve);
    worker.once('exit', (code) => resolve(new Error(`shard thread ended with code ${code}`)));
  });
}
