import type { AuditEntry, AuditQuery } from '../../../src/client/browser.js';
import { isAway, service } from '../service.js';

/** Most lines that the page keeps: the newest. */
export const MAX_LINES = 10_000;
/** Lines that come within this time are shown together. */
const GATHER_MS = 200;
const RETRY_MS = 2_000;

export interface AuditState {
  /** Oldest first. */
  lines: readonly AuditEntry[];
  /** Number of lines that match, including lines that the page does not keep. */
  total: number;
  /** Whether all lines that existed at the start have been read. */
  isRead: boolean;
  error: unknown;
}

export const NOTHING_READ: AuditState = { lines: [], total: 0, isRead: false, error: undefined };

interface ReaderOptions {
  signal: AbortSignal;
  onState: (state: AuditState) => void;
}

/** Reads the lines that match, and follows new lines while the page is in view: each stream takes a connection. */
export class AuditReader {
  readonly #query: AuditQuery;
  readonly #options: ReaderOptions;
  #state = NOTHING_READ;
  #lines: AuditEntry[] = [];
  #flushing: ReturnType<typeof setTimeout> | undefined;

  constructor(query: AuditQuery, options: ReaderOptions) {
    this.#query = query;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { signal } = this.#options;
    while (!this.#state.isRead) {
      try {
        await this.#read(false, signal);
        this.#change({ isRead: true, error: undefined });
      } catch (error) {
        this.#change({ error });
        if (signal.aborted || !isAway(error)) return;
        await new Promise((done) => setTimeout(done, RETRY_MS));
      }
    }
    while (!signal.aborted) {
      await untilVisible(signal);
      const hiding = new AbortController();
      const onHidden = () => document.hidden && hiding.abort();
      document.addEventListener('visibilitychange', onHidden);
      try {
        await this.#read(true, AbortSignal.any([signal, hiding.signal]));
      } catch {
        // The service is down, or the page is hidden: the next stream reads the missed lines.
      } finally {
        document.removeEventListener('visibilitychange', onHidden);
      }
      if (!signal.aborted && !hiding.signal.aborted) await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }

  async #read(follow: boolean, signal: AbortSignal): Promise<void> {
    const after = this.#lines.at(-1)?.n;
    for await (const line of service.audit.lines({ ...this.#query, after, follow, signal })) {
      this.#lines.push(line);
      this.#state = { ...this.#state, total: this.#state.total + 1 };
      // Cut seldom, since each cut moves all lines.
      if (this.#lines.length > 2 * MAX_LINES) this.#lines = this.#lines.slice(-MAX_LINES);
      this.#flushing ??= setTimeout(() => this.#change({}), GATHER_MS);
    }
  }

  #change(change: Partial<AuditState>): void {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    if (this.#options.signal.aborted) return;
    this.#state = { ...this.#state, ...change, lines: this.#lines.slice(-MAX_LINES) };
    this.#options.onState(this.#state);
  }
}

function untilVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}
