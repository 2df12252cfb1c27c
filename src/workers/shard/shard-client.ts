import { MessageChannel, Worker } from 'node:worker_threads';
import { STREAM_ACK_BYTES } from '../../contract/limits.js';
import { Link } from '../link.js';
import type { ShardApi, ShardOptions, StreamAck, StreamMessage } from './protocol.js';
import { sizeOf } from './stream-port.js';

export interface ShardClientOptions extends Omit<ShardOptions, 'stream'> {
  /** Called with each message that the shard posts, in order. */
  onStream: (message: StreamMessage) => void;
}

/** The main thread's side of one shard. */
export class ShardClient {
  readonly link: Link<ShardApi>;
  /** Resolves with the reason when the thread has ended. */
  readonly died: Promise<Error>;
  readonly #worker: Worker;

  constructor({ onStream, ...options }: ShardClientOptions) {
    const { port1, port2 } = new MessageChannel();
    let taken = 0;
    port1.on('message', (message: StreamMessage) => {
      taken += sizeOf(message);
      onStream(message);
      if (taken < STREAM_ACK_BYTES) return;
      port1.postMessage({ taken } satisfies StreamAck);
      taken = 0;
    });
    this.#worker = new Worker(new URL('./main.js', import.meta.url), {
      workerData: { ...options, stream: port2 } satisfies ShardOptions,
      transferList: [port2],
    });
    this.died = new Promise((resolve) => {
      this.#worker.once('error', resolve);
      this.#worker.once('exit', (code) => resolve(new Error(`shard thread ended with code ${code}`)));
    });
    void this.died.then(() => port1.close());
    this.link = new Link(this.#worker, this.died);
  }

  /** Ends the thread; {@link died} follows. */
  async terminate(): Promise<void> {
    await this.#worker.terminate();
  }
}
