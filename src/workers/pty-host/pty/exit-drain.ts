import { EXIT_QUIET_MS, MAX_UNREAD_BYTES } from '../../../contract/limits.js';
import { type KeptMarkerFilter, MarkerFilter, newMarker } from './exit-marker.js';
import type { PtyReader } from './pty-reader.js';
import { tryWrite } from './pty-writer.js';

/** Milliseconds that a marker without room waits for reads to make room, before the output counts as stopped. */
const RETRY_MS = 20;

/** Ctrl+Q: restarts output that Ctrl+S stopped. */
const XON = Buffer.from([0x11]);

interface Drained {
  master: number;
  slave: number;
  reader: PtyReader;
  output(bytes: Buffer): void;
  /** Called once all output has been passed on. */
  done(): void;
}

/** How far the last output of a program has been read. */
export interface KeptDrain extends KeptMarkerFilter {
  marker: Buffer;
  isPlaced: boolean;
  /** Bytes read since the end of the program. */
  bytes: number;
}

/**
 * Finds the end of the output of a program that has ended. The kernel does not report it: other processes may hold the
 * terminal open forever, and the reader may be paused for as long. So a marker is written to the slave behind the
 * program's last byte, and the output ends where the reader meets the marker.
 *
 * The marker may fail to get in or to come out. Then the output ends, at the latest, when the PTY is read and stays
 * silent for EXIT_QUIET_MS, or when more has come than a kernel's buffer holds, which must be from other processes.
 */
export class ExitDrain {
  readonly #pty: Drained;
  readonly #marker: Buffer;
  readonly #filter: MarkerFilter;
  #placed: boolean;
  #stopped = false;
  #bytes: number;
  #retry: NodeJS.Timeout | null = null;
  #quiet: NodeJS.Timeout | null = null;

  constructor(pty: Drained, earlier?: KeptDrain | null) {
    this.#pty = pty;
    this.#marker = earlier?.marker ?? newMarker();
    this.#filter = new MarkerFilter(this.#marker, earlier ?? undefined);
    this.#placed = earlier?.isPlaced ?? false;
    this.#bytes = earlier?.bytes ?? 0;
    this.#place();
  }

  /** Returns the state for a renewed host. */
  keep(): KeptDrain {
    return { marker: this.#marker, isPlaced: this.#placed, bytes: this.#bytes, ...this.#filter.keep() };
  }

  /** Adjusts the timers after the reader was paused or resumed. No timer runs while the reader is paused. */
  update(): void {
    if (this.#stopped) return;
    if (this.#pty.reader.closed) this.ended();
    else if (this.#pty.reader.paused) this.#clearTimers();
    else this.#armTimers();
  }

  #armTimers(): void {
    this.#quiet ??= setTimeout(() => this.#onQuiet(), EXIT_QUIET_MS);
    if (!this.#placed) this.#retry ??= setTimeout(() => this.#onRetry(), RETRY_MS);
  }

  read(bytes: Buffer): void {
    const { output, found } = this.#filter.push(bytes);
    this.#bytes += bytes.length;
    if (output.length > 0) this.#pty.output(output);
    if (this.#stopped) return;
    if (found || this.#bytes >= MAX_UNREAD_BYTES) {
      this.ended();
      return;
    }
    this.#quiet?.refresh();
    this.#retry?.refresh();
    this.#place();
  }

  /** Ends the output: nothing more will come. */
  ended(): void {
    if (this.#stopped) return;
    this.stop();
    const rest = this.#filter.flush();
    if (rest.length > 0) this.#pty.output(rest);
    this.#pty.done();
  }

  stop(): void {
    this.#stopped = true;
    this.#clearTimers();
  }

  #place(): void {
    if (this.#placed || this.#pty.reader.closed) return;
    try {
      const count = tryWrite(this.#pty.slave, this.#marker);
      this.#placed = count === this.#marker.length;
      if (count > 0 && !this.#placed) this.#filter.addFragment(count);
    } catch {
      // The slave was hung up (by vhangup, or by a platform that revokes it), so silence ends the output.
      this.#placed = true;
    }
  }

  #onRetry(): void {
    this.#retry = null;
    // The PTY is empty and still has no room for the marker: its output is stopped.
    if (this.#pty.reader.readNow() === 0 && !this.#stopped) {
      try {
        tryWrite(this.#pty.master, XON);
      } catch {
        // Hung up: silence ends the output.
      }
      this.#place();
    }
    this.update();
  }

  #onQuiet(): void {
    this.#quiet = null;
    // An event loop that was blocked runs its timers before it reads, so there may be unread output.
    if (this.#pty.reader.readNow() > 0) this.update();
    else this.ended();
  }

  #clearTimers(): void {
    if (this.#retry) clearTimeout(this.#retry);
    if (this.#quiet) clearTimeout(this.#quiet);
    this.#retry = null;
    this.#quiet = null;
  }
}
