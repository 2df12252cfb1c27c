import { setMaxListeners } from 'node:events';
import { MAX_RUN_READS, RUN_PIECE_MS, RUN_PIECE_MS_PER_TERMINAL } from '../../contract/limits.js';
import type { RunStreamEvent } from '../../contract/run.js';
import { unlessAborted } from '../abortable.js';
import type { KeptPart, KeptRun } from './kept-run.js';
import { PartStream, type StreamedPart, type StreamParts } from './part-stream.js';
import { summaryOf } from './results.js';

/** A run, as its streams see it. */
export interface StreamedRun {
  readonly run: Pick<KeptRun, 'state'>;
  readonly parts: readonly StreamedPart[];
}

export interface RunStreamOptions extends StreamParts {
  /** Fires once nobody wants the stream any longer; its reason is the error to reject with. */
  client: AbortSignal;
  /** Called by {@link RunStream.close}. */
  onClose: () => void;
}

/** Returns a run that is over as its streams see it. */
export function streamedKept(run: KeptRun, kept: ReadonlyMap<number, KeptPart>): StreamedRun {
  const parts = run.terminalIds.flatMap((id, place) => {
    const part = kept.get(place);
    return part ? [{ id, kept: part, printed: [], onChange: () => () => {} }] : [];
  });
  return { run, parts };
}

type Events = AsyncGenerator<RunStreamEvent, void, void>;

/** A terminal that is read, with its next events; the first event is ready. */
interface Turn {
  part: PartStream;
  events: Events;
  first: IteratorResult<RunStreamEvent, void>;
}

/**
 * The output of the commands of a run, as it comes, and their results, as `GET /api/runs/:runId/stream` answers. Begins
 * no read before it is asked for an event, so a slow client holds MAX_RUN_READS pieces at most. Must be closed.
 */
export class RunStream {
  readonly #run: StreamedRun;
  readonly #options: RunStreamOptions;
  readonly #parts: PartStream[];
  /** Terminals that may have something to send, in the order of their turns. */
  readonly #ready = new Set<PartStream>();
  /** Terminals whose events are read or sent. */
  readonly #inTurn = new Set<PartStream>();
  readonly #turns: Turn[] = [];
  #fault: { error: unknown } | undefined;
  readonly #over = new AbortController();
  #wake = () => {};

  constructor(run: StreamedRun, options: RunStreamOptions) {
    this.#run = run;
    this.#options = options;
    const { signal } = this.#over;
    // Each terminal of the run waits with it.
    setMaxListeners(0, signal);
    const pieceMs = Math.max(RUN_PIECE_MS, RUN_PIECE_MS_PER_TERMINAL * run.parts.length);
    this.#parts = run.parts.map((part) => {
      const onReady = () => this.#isReady(stream);
      const stream: PartStream = new PartStream({ ...options, part, onReady, pieceMs, signal });
      return stream;
    });
    for (const stream of this.#parts) this.#ready.add(stream);
  }

  /** Throws the reason of `client`, and `unavailable`. */
  async *events(): Events {
    for (let left = this.#parts.length; left > 0; ) {
      this.#beginTurns();
      if (this.#fault) throw this.#fault.error;
      const turn = this.#turns.shift();
      if (!turn) {
        await this.#untilChanged();
        continue;
      }
      const { part, events } = turn;
      for (let next = turn.first; !next.done; next = await events.next()) {
        yield next.value;
        this.#options.client.throwIfAborted();
      }
      this.#inTurn.delete(part);
      if (part.isOver) left--;
    }
    yield this.#end();
  }

  close(): void {
    this.#over.abort(new Error('the stream is over'));
    for (const part of this.#parts) part.close();
    this.#options.onClose();
  }

  #isReady(part: PartStream): void {
    this.#ready.add(part);
    this.#wake();
  }

  #beginTurns(): void {
    for (const part of this.#ready) {
      if (this.#inTurn.size === MAX_RUN_READS) return;
      if (this.#inTurn.has(part)) continue;
      this.#ready.delete(part);
      // It may have become ready again within its last turn.
      if (part.isOver) continue;
      this.#inTurn.add(part);
      const events = part.next();
      events.next().then(
        (first) => {
          this.#turns.push({ part, events, first });
          this.#wake();
        },
        (error: unknown) => {
          this.#fault ??= { error };
          this.#wake();
        },
      );
    }
  }

  async #untilChanged(): Promise<void> {
    const changed = new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    await unlessAborted(changed, this.#options.client);
  }

  #end(): RunStreamEvent {
    const state = this.#run.run.state === 'cancelled' ? 'cancelled' : 'finished';
    const results = this.#run.parts.flatMap(({ kept }) => kept?.result ?? []);
    return { type: 'end', state, summary: summaryOf(results) };
  }
}
