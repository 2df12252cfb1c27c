export interface ClientInboxOptions {
  /** Carries out one message. Never rejects. */
  work: (message: string) => Promise<void>;
  /** Most messages in work at once. */
  maxInWork: number;
  /** Bytes of memory of waiting messages above which the client is not read. */
  maxBytes: number;
  /** Counted for each waiting message beside its text. */
  messageBytes: number;
  /** Called when the client must not be read. */
  onFull: () => void;
  /** Called when the client may be read again. */
  onRoom: () => void;
}

/** Memory of one UTF-16 unit of a text. */
const UNIT_BYTES = 2;

/**
 * Messages of one WebSocket client, begun in the order in which they came. The client is read even while many of its
 * messages are in work: otherwise nobody would notice that it closes its connection, and its waiting messages would hold
 * up other writers.
 */
export class ClientInbox {
  readonly #options: ClientInboxOptions;
  readonly #waiting: string[] = [];
  #bytes = 0;
  #inWork = 0;
  #isFull = false;
  #isOver = false;

  constructor(options: ClientInboxOptions) {
    this.#options = options;
  }

  take(message: string): void {
    const { maxInWork, maxBytes, onFull } = this.#options;
    if (this.#inWork < maxInWork && this.#waiting.length === 0) {
      this.#begin(message);
      return;
    }
    this.#waiting.push(message);
    this.#bytes += this.#bytesOf(message);
    if (this.#isFull || this.#bytes <= maxBytes) return;
    this.#isFull = true;
    onFull();
  }

  /** Begins all messages that wait, since the client has said all and leaves: nothing that it waits for may hold them up. */
  finish(): void {
    this.#isOver = true;
    for (const message of this.#waiting.splice(0)) this.#begin(message);
  }

  /** Drops the messages that wait. */
  drop(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
  }

  #begin(message: string): void {
    this.#inWork++;
    void this.#options.work(message).then(() => {
      this.#inWork--;
      this.#next();
    });
  }

  #next(): void {
    if (this.#isOver) return;
    const { maxInWork, maxBytes, onRoom } = this.#options;
    while (this.#inWork < maxInWork) {
      const message = this.#waiting.shift();
      if (message === undefined) break;
      this.#bytes -= this.#bytesOf(message);
      this.#begin(message);
    }
    if (!this.#isFull || this.#bytes > maxBytes / 2) return;
    this.#isFull = false;
    onRoom();
  }

  #bytesOf({ length }: string): number {
    return UNIT_BYTES * length + this.#options.messageBytes;
  }
}
