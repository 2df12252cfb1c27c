import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { StreamEvent } from './stream.js';

type LiveEvent = StreamEvent & { cols?: number; rows?: number; data: Record<string, unknown> };

/** A watcher of one terminal that puts its output together, and counts the screens that came in its place. */
export class LiveWatch {
  readonly socket: WebSocket;
  /** The last screen, and all output since. */
  text = '';
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

  /** @param url - before `/ws` */
  static async open(url: string, query: string): Promise<LiveWatch> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?${query}`);
    const watch = new LiveWatch(socket);
    // The welcome; or the refusal.
    await once(socket, 'message');
    return watch;
  }

  /** Sends a command; resolves with the reply. */
  async command(payload: object): Promise<Record<string, unknown>> {
    const id = `c${++this.#ids}`;
    this.socket.send(JSON.stringify({ id, type: 'command', payload }));
    return this.until(`the reply to ${JSON.stringify(payload)}`, () => this.replies.get(id));
  }

  /** Resolves with what `look` finds, as soon as it finds it. */
  async until<Found>(what: string, look: () => Found | undefined | false, ms = 20_000): Promise<Found> {
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

  /** What it has seen, for whoever reads that it waited in vain. */
  #stand(): string {
    const { screens, seq, text, socket } = this;
    return `at ${seq} after ${screens} screens, socket in state ${socket.readyState}, …${JSON.stringify(text.slice(-300))}`;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #onOutput({ data, seq = 0 }: LiveEvent): void {
    const content = String(data.content);
    if (content.startsWith('\x1bc')) {
      this.screens++;
      this.text = content;
    } else this.text += content;
    this.seq = seq;
  }
}
