import { once } from 'node:events';
import { WebSocket } from 'ws';
import { within } from '../../test/support/service.js';
import { WrongAnswer } from './tally.js';

interface Message {
  id?: string;
  event?: { type: string; terminalId: string; seq?: number; data: { content?: string } };
}

/** The beginning of a screen that replaces output that this client has missed. */
const RESYNC = '\x1bc';
const WELCOME_MS = 60_000;
const TAIL_CHARS = 4_096;

/** A WebSocket client of one terminal, which checks that no output is left out between two frames. */
export class Watcher {
  readonly #socket: WebSocket;
  readonly #id: string;
  #position: number | undefined;
  #fault: Error | undefined;
  #wake = () => {};
  /** Output since the connection, or since the last screen that came in place of missed output. */
  output = '';
  /** End of `output`: a search of all output at each frame of a flood would keep this process from answering pings. */
  tail = '';
  /** How often a screen came in place of output. */
  resyncs = 0;

  private constructor(url: string, id: string) {
    this.#id = id;
    const query = `terminals=${id}&seq=1&events=lifecycle`;
    this.#socket = new WebSocket(`${url.replace(/^http/, 'ws')}/ws?${query}`);
    this.#socket.on('message', (bytes: Buffer) => this.#take(JSON.parse(bytes.toString()) as Message));
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', (code) =>
      this.#fail(new Error(`the service closed the connection with ${code}`)),
    );
  }

  /** Resolves once connected; from then on the client misses no output. */
  static async open(url: string, id: string): Promise<Watcher> {
    const watcher = new Watcher(url, id);
    const welcomed = once(watcher.#socket, 'message');
    await within(WELCOME_MS, welcomed, () => 'no welcome');
    return watcher;
  }

  get isClosed(): boolean {
    return this.#socket.readyState === WebSocket.CLOSED;
  }

  /** Stops reading, like a client that hangs. */
  stall(): void {
    this.#socket.pause();
  }

  goOn(): void {
    this.#socket.resume();
  }

  /**
   * Resolves once the condition holds, which is checked after each frame. Rejects after a wrong frame, if the
   * connection fails before, or at the deadline.
   */
  async until(what: string, condition: () => boolean, deadlineMs: number): Promise<void> {
    const holds = new Promise<void>((resolve, reject) => {
      this.#wake = () => {
        if (this.#fault instanceof WrongAnswer) reject(this.#fault);
        else if (condition()) resolve();
        else if (this.#fault) reject(this.#fault);
      };
      this.#wake();
    });
    await within(deadlineMs, holds, () => `${what}: ${JSON.stringify(this.output.slice(-500))}`);
  }

  /** Disconnects, with a closing handshake or without. */
  async close(abruptly: boolean): Promise<void> {
    if (this.isClosed) return;
    this.#socket.resume();
    const closed = once(this.#socket, 'close');
    if (abruptly) this.#socket.terminate();
    else this.#socket.close();
    await closed;
  }

  #take({ event }: Message): void {
    if (event && event.terminalId !== this.#id)
      this.#fail(new WrongAnswer(`an event of ${event.terminalId} for a client of ${this.#id}`));
    if (event?.type === 'output.data') this.#takeOutput(event.data.content ?? '', event.seq ?? Number.NaN);
    this.#wake();
  }

  #takeOutput(content: string, seq: number): void {
    if (content.startsWith(RESYNC)) {
      this.resyncs++;
      this.output = '';
      this.tail = '';
    } else if (this.#position !== undefined && this.#position + Buffer.byteLength(content) !== seq) {
      const bytes = Buffer.byteLength(content);
      this.#fail(
        new WrongAnswer(
          `${bytes} bytes arrived at position ${this.#position}, but the frame names position ${seq}`,
        ),
      );
    }
    this.#position = seq;
    this.output += content;
    this.tail = (this.tail + content).slice(-TAIL_CHARS);
  }

  #fail(error: Error): void {
    this.#fault ??= error;
    this.#wake();
  }
}
