import {
  MAX_WAIT_MS,
  RUN_FLOOD_BYTES,
  RUN_PIECE_BYTES,
  RUN_PIECE_MS,
  RUN_READ_MS,
  RUN_WAITING_BYTES,
} from '../../contract/limits.js';
import type { RunStreamEvent } from '../../contract/run.js';
import type { RangePiece } from '../../workers/shard/piece-query.js';
import { positionOf } from '../../workers/shard/read-cursor.js';
import type { Commands } from '../commands/commands.js';
import { isGone, type Screens } from '../screens.js';
import { retryAcrossShardRestart } from '../waits/shard-restart.js';
import type { KeptPart } from './kept-run.js';
import type { Printed } from './progress.js';
import { SentText } from './sent-text.js';

/** One terminal of a run, as its streams see it. */
export interface StreamedPart {
  readonly id: string;
  /** The outcome, once there is one. */
  readonly kept: KeptPart | undefined;
  /** The ranges of output that certainly belong to the run, in order. All of them have an end once there is an outcome. */
  readonly printed: readonly Printed[];
  /** Calls `listener` when there is an outcome, or more of `printed` that no shell reports. */
  onChange(listener: () => void): () => void;
}

export interface StreamParts {
  screens: Pick<Screens, 'until' | 'rangePiece'>;
  commands: Pick<Commands, 'follow'>;
}

export interface PartStreamOptions extends StreamParts {
  part: StreamedPart;
  /** Called when {@link PartStream.next} may have something to return. */
  onReady: () => void;
  /** Shortest time between two pieces. */
  pieceMs: number;
  /** Ends all waits. */
  signal: AbortSignal;
}

/**
 * The stream of one terminal of a run. Reads output when asked, one piece at a time, so that output that the client
 * has not taken waits in the terminal's history.
 */
export class PartStream {
  readonly #options: PartStreamOptions;
  readonly #sent: SentText;
  readonly #unfollow: (() => void)[] = [];
  /** Beginning of the range that is read. */
  #start: string | undefined;
  #place: RangePiece['place'] | undefined;
  /** Whether the present range has ended and was read to its end. */
  #isRead = false;
  #timer: NodeJS.Timeout | undefined;
  #isAwaitingOutput = false;
  #isOver = false;

  constructor(options: PartStreamOptions) {
    this.#options = options;
    const { part, commands, onReady } = options;
    this.#sent = new SentText(part.id);
    if (part.kept) return;
    this.#unfollow.push(part.onChange(onReady));
    try {
      this.#unfollow.push(commands.follow(part.id, onReady));
    } catch (error) {
      // The run fails in a terminal that does not exist, which is an outcome.
      if (!isGone(error)) throw error;
    }
  }

  /** Whether its result has been returned. */
  get isOver(): boolean {
    return this.#isOver;
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const unfollow of this.#unfollow) unfollow();
  }

  /** Returns what can be sent now: at most one piece of output, in events of bounded size, and the result. */
  async *next(): AsyncGenerator<RunStreamEvent, void, void> {
    const { part } = this.#options;
    for (;;) {
      const { kept } = part;
      if (kept && !this.#sent.hasBegun && !kept.result.truncated) {
        yield* this.#sent.whole(kept.result.raw);
        yield* this.#result(kept);
        return;
      }
      const range = this.#range();
      if (!range) {
        if (!kept) return;
        if (!this.#isKnown()) yield* this.#fromKept(kept);
        yield* this.#result(kept);
        return;
      }
      const read = await this.#read(range);
      if (read === 'changed') continue;
      if (read === 'gone') {
        if (!part.kept) return;
        yield* this.#fromKept(part.kept);
        yield* this.#result(part.kept);
        return;
      }
      this.#place = read.place;
      yield* this.#sent.piece(read);
      this.#isRead = read.isWhole;
      if (!read.isWhole) {
        this.#awaitMore(read);
        return;
      }
    }
  }

  /** Returns the range to read next; undefined if there is none. */
  #range(): Printed | undefined {
    const { printed } = this.#options.part;
    if (this.#start === undefined) return this.#begin(printed[0]);
    if (!this.#isRead) return printed.find(({ start }) => start === this.#start);
    const last = positionOf(this.#start);
    return this.#begin(printed.find(({ start }) => positionOf(start) > last));
  }

  /**
   * Returns whether the output that was read is part of the outcome: it is not if an earlier service process made the
   * outcome, or if a command turned out not to be the run's.
   */
  #isKnown(): boolean {
    const { printed } = this.#options.part;
    return printed.some(({ start }) => start === this.#start);
  }

  #begin(range: Printed | undefined): Printed | undefined {
    if (!range) return undefined;
    this.#start = range.start;
    this.#place = undefined;
    this.#isRead = false;
    return range;
  }

  /**
   * Reads the next piece of a range. Resolves with `changed` if the range has ended or was withdrawn before the end of
   * the output that was read: the shard reports the end of a command before it answers.
   */
  async #read(range: Printed): Promise<(RangePiece & { isWhole: boolean }) | 'changed' | 'gone'> {
    const { part, screens, signal } = this.#options;
    const { start, end } = range;
    const query = {
      ...{ start, maxBytes: RUN_PIECE_BYTES },
      ...(end !== undefined && { end }),
      ...(this.#place && { place: this.#place }),
    };
    try {
      const piece = await retryAcrossShardRestart(signal, () =>
        screens.rangePiece(part.id, query, RUN_READ_MS),
      );
      const now = part.printed.find((known) => known.start === start);
      if (!now) return 'changed';
      const isPassed = end === undefined && now.end !== undefined && positionOf(now.end) < piece.position;
      return isPassed ? 'changed' : { ...piece, isWhole: end !== undefined && !piece.hasMore };
    } catch (error) {
      if (isGone(error)) return 'gone';
      throw error;
    }
  }

  /** Calls `onReady` once there may be more of the range. */
  #awaitMore({ text, hasMore, position, waitingBytes }: RangePiece): void {
    const { onReady, pieceMs } = this.#options;
    if (hasMore) {
      onReady();
    } else if (text.length >= RUN_FLOOD_BYTES) {
      this.#awaitOutput(position);
    } else {
      const ms = pieceMs + RUN_PIECE_MS * Math.floor(waitingBytes / RUN_WAITING_BYTES);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#awaitOutput(position), ms);
    }
  }

  /** If a wait is in progress, it began at an earlier position, so that it ends at once or has ended. */
  #awaitOutput(after: number): void {
    const { part, screens, signal, onReady } = this.#options;
    if (this.#isAwaitingOutput) return;
    this.#isAwaitingOutput = true;
    const awaited = { kind: 'output', after } as const;
    const output = retryAcrossShardRestart(signal, () =>
      screens.until(part.id, awaited, MAX_WAIT_MS, signal),
    );
    const ended = (error?: unknown) => {
      this.#isAwaitingOutput = false;
      // After the end of its program, only the outcome follows.
      if (!isGone(error)) onReady();
    };
    // The next read gets the error of a shard, too.
    output.then(() => ended(), ended);
  }

  /** Yields the text that the outcome has kept, where the terminal no longer has it. */
  *#fromKept({ result: { raw, truncated } }: KeptPart): Generator<RunStreamEvent> {
    const { hasBegun, hasGap } = this.#sent;
    if (truncated || hasGap) yield* this.#sent.gap();
    if (!hasBegun || !(truncated || hasGap)) yield* this.#sent.whole(raw);
  }

  *#result({ result }: KeptPart): Generator<RunStreamEvent> {
    this.#isOver = true;
    this.close();
    yield { type: 'result', ...result, raw: '' };
  }
}
