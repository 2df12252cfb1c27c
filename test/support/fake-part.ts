import type { KeptPart } from '../../src/actors/runs/kept-run.js';
import type { StreamedPart } from '../../src/actors/runs/part-stream.js';
import type { Printed } from '../../src/actors/runs/progress.js';
import { DomainError } from '../../src/contract/errors.js';
import { CALL_DEADLINE_MS } from '../../src/contract/limits.js';
import type { PieceQuery, RangePiece } from '../../src/workers/shard/piece-query.js';
import { decodeCursor, encodeCursor } from '../../src/workers/shard/read-cursor.js';

export const cursor = (position: number) => encodeCursor({ position, row: 0, col: 0, altScreen: false });
const positionOf = (text: string) => decodeCursor(text, Number.MAX_SAFE_INTEGER).position;

export function kept(terminalId: string, raw: string, truncated = false): KeptPart {
  const result = { terminalId, success: true, done: true, exitCode: 0, durationMs: 1, raw, truncated };
  return { result: { ...result, integration: 'bash', waitedBy: 'integration' }, fault: null, screen: null };
}

/** A terminal whose text is its output, and the part of a run in it. */
export class FakePart implements StreamedPart {
  readonly id: string;
  output = '';
  printed: Printed[] = [];
  kept: KeptPart | undefined;
  isGone = false;
  reads = 0;
  /** Milliseconds that the terminal's shard takes for an answer. */
  answerMs = 0;
  /** Called before a read is answered. */
  beforeAnswer: () => unknown = () => {};
  readonly #listeners = new Set<() => void>();
  readonly #waits = new Set<() => void>();

  constructor(id: string) {
    this.id = id;
  }

  get followers(): number {
    return this.#listeners.size + this.#waits.size;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  print(text: string): void {
    this.output += text;
    for (const met of this.#waits) met();
  }

  change(change: Partial<Pick<FakePart, 'printed' | 'kept'>>): void {
    Object.assign(this, change);
    for (const listener of this.#listeners) listener();
  }

  async read(
    { start, end, place, maxBytes }: PieceQuery,
    deadlineMs = CALL_DEADLINE_MS,
  ): Promise<RangePiece> {
    this.reads++;
    if (this.isGone) throw new DomainError('terminal-not-found');
    if (this.answerMs > deadlineMs) throw new DomainError('unavailable');
    const from = place?.position ?? positionOf(start);
    const to = end === undefined ? this.output.length : positionOf(end);
    const all = this.output.slice(from, to);
    const text = (end === undefined ? all.slice(0, all.lastIndexOf('\n') + 1) : all).slice(0, maxBytes);
    const position = from + text.length;
    this.beforeAnswer();
    return {
      ...{ gap: false, dropped: 0, text, position: to, waitingBytes: to - position },
      place: { position, context: position, rows: 24, isWithinLine: false },
      hasMore: text.length === maxBytes && position < to,
    };
  }

  until(after: number, signal: AbortSignal): Promise<{ position: number }> {
    return new Promise((resolve, reject) => {
      const met = () => {
        if (this.output.length <= after) return;
        this.#waits.delete(met);
        resolve({ position: this.output.length });
      };
      signal.addEventListener('abort', () => {
        this.#waits.delete(met);
        reject(signal.reason);
      });
      this.#waits.add(met);
      met();
    });
  }
}
