import { once } from 'node:events';
import { WebSocket } from 'ws';
import { DEADLINE_MS } from './deadline.js';
import type { StreamEvent } from './stream.js';

const TAIL_CHARS = 4_000;

type LiveEvent = StreamEvent & { cols?: number; rows?: number; data: Record<string, unknown> };

/** A watcher of one terminal that joins its output, and counts the screens that arrived in place of output. */
export class LiveWatch {
  readonly socket: WebSocket;
  /** The last screen, and all output since then. */
  text = '';
  /** Last characters of `text`: a search through all of a flood after each message would take minutes. */
  tail = '';
  /** Bytes of the terminal up to the last output. */
  seq = 0;
  screens = 0;
  readonly events: LiveEvent[] = [];
  readonly #waiting = new Set<() => void>();
  #ids = 0;
  readonly replies = new Map<unknown, Record<string, unknown>>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (message: Buffer) => {
      const { event, id, ...reply } = JSON.parse(message.toString()) as { event?: LiveEvent; id?: unknown };
      if (event?.type === 'output.data') this.#onOutput(event);
      else if (event) this.events.push(event);
      else this.replies.set(id, reply);
      this.#wake();
    });
    socket.on('close', () => this.#wake());
  }

  /** @param url - the URL up to `/ws` */
  static async open(url: string, query: string): Promise<LiveWatch> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?${query}`);
    const watch = new LiveWatch(socket);
    // The first message is the welcome or the refusal.
    await once(socket, 'message');
    return watch;
  }

  /** Sends a command; resolves with the reply. */
  async command(payload: object): Promise<Record<string, unknown>> {
    const id = `c${++this.#ids}`;
    this.socket.send(JSON.stringify({ id, type: 'command', payload }));
    return this.until(`the reply to ${JSON.stringify(payload)}`, () => this.replies.get(id));
  }

  /** Resolves with the result of `look` as soon as it finds something; rejects after `ms` milliseconds. */
  async until<Found>(what: string, look: () => Found | undefined | false, ms = DEADLINE_MS): Promise<Found> {
    const deadline = performance.now() + ms;
    for (;;) {
      const found = look();
      if (found !== undefined && found !== false) return found;
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`${what}: not within ${ms} ms, ${this.#stand()}`);
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer);
          this.#waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, left);
        this.#waiting.add(wake);
      });
    }
  }

  async close(): Promise<void> {
    if (this.socket.readyState === WebSocket.CLOSED) return;
    this.socket.close();
    await once(this.socket, 'close');
  }

  /** Returns what the watcher has seen, for the error of a wait that times out. */
  #stand(): string {
    const { screens, seq, text, socket } = this;
    return `at ${seq} after ${screens} screens, socket in state ${socket.readyState}, …${JSON.stringify(text.slice(-300))}`;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #onOutput({ data, seq = 0 }: LiveEvent): void {
    const content = String(data.content);
    const isScreen = content.startsWith('\x1bc');
    if (isScreen) this.screens++;
    this.text = isScreen ? content : this.text + content;
    this.tail = (isScreen ? content : this.tail + content).slice(-TAIL_CHARS);
    this.seq = seq;
  }
}
