import type { HostConnection } from '#dist/workers/pty-host/client/host-client.js';
import type { RestoreState, TerminalSink } from '#dist/workers/pty-host/client/terminal-sink.js';
import { DEADLINE_MS } from '../support/deadline.js';

/** How a terminal's program ended. */
type Exit = Parameters<TerminalSink['exited']>[0];

const CHECKPOINT_EVERY = 256 * 1024;

/** Collects one terminal's stream, and confirms and checkpoints received output unless told to hold back. */
export class Collector implements TerminalSink {
  readonly chunks: Buffer[] = [];
  /** All events but output, in order, with their positions. */
  readonly events: { at: number; what: string }[] = [];
  restored: RestoreState | null = null;
  position = 0;
  exit: Exit | null = null;
  asked = 0;
  gone = false;
  /** Whether output is neither confirmed nor checkpointed. */
  holding = false;
  /** Whether checkpoints are sent only when the host asks for them. */
  lazy = false;
  #saved = 0;
  #size = { cols: 0, rows: 0 };
  #connection: HostConnection | null = null;
  #handle = 0;
  #waiting: { condition: () => boolean; resolve: () => void }[] = [];

  attach(connection: HostConnection, handle: number): void {
    this.#connection = connection;
    this.#handle = handle;
    connection.attach(handle, this);
  }

  /** Confirms all output received so far, so that the host goes on. */
  release(): void {
    this.holding = false;
    this.#connection?.confirm(this.#handle, this.position);
    this.#checkpoint();
  }

  get text(): string {
    return Buffer.concat(this.chunks).toString();
  }

  /** Resolves when the condition holds after an event or output. */
  until(what: string, condition: () => boolean, deadlineMs = DEADLINE_MS): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const seen = `at ${this.position}, ${JSON.stringify(this.text.slice(-200))}`;
        reject(new Error(`not within ${deadlineMs} ms: ${what} (${seen})`));
      }, deadlineMs);
      this.#waiting.push({
        condition,
        resolve: () => {
          clearTimeout(timer);
          resolve();
        },
      });
      this.#check();
    });
  }

  exited(exit: Exit): void {
    this.exit = exit;
    this.#event(`exit ${exit.signal ?? exit.exitCode}`);
  }

  /** Resolves with the program's exit, which follows its last output. */
  async end(): Promise<Exit> {
    await this.until('exit', () => this.exit !== null);
    return this.exit!;
  }

  restore(state: RestoreState): void {
    this.restored = state;
    this.position = state.position;
    this.#saved = state.position;
    this.#size = { cols: state.cols, rows: state.rows };
    this.#event(`restore ${state.cols}x${state.rows}`);
  }

  output(bytes: Buffer): void {
    this.chunks.push(bytes);
    this.position += bytes.length;
    if (!this.holding) {
      this.#connection?.confirm(this.#handle, this.position);
      if (!this.lazy && this.position - this.#saved >= CHECKPOINT_EVERY) this.#checkpoint();
    }
    this.#check();
  }

  resized(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.#event(`resize ${cols}x${rows}`);
  }

  checkpointWanted(): void {
    this.asked += 1;
    if (!this.holding) this.#checkpoint();
    this.#check();
  }

  detached(): void {
    this.gone = true;
    this.#check();
  }

  #checkpoint(): void {
    this.#saved = this.position;
    const bytes = Buffer.from(`checkpoint at ${this.position}`);
    this.#connection?.checkpoint(this.#handle, { position: this.position, ...this.#size, bytes });
  }

  #event(what: string): void {
    this.events.push({ at: this.position, what });
    this.#check();
  }

  #check(): void {
    const met = this.#waiting.filter(({ condition }) => condition());
    this.#waiting = this.#waiting.filter((waiting) => !met.includes(waiting));
    for (const { resolve } of met) resolve();
  }
}
