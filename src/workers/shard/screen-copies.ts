import { setTimeout as pause } from 'node:timers/promises';
import { DomainError } from '../../contract/errors.js';
import { MAX_SCREEN_ROWS_CHARS, SCREEN_COPY_KEPT_MS, SCREEN_SAMPLE_MS } from '../../contract/limits.js';
import type { AttachedTerminal } from './attached-terminal.js';
import { RowCopies } from './screen/text/row-copies.js';
import type { RowsAnswer, RowsQuery } from './screen-rows-api.js';
import type { ScreenView } from './screen-view.js';
import type { Steps } from './steps.js';
import type { TerminalActor } from './terminal-actor.js';

interface Copy {
  rows: RowCopies;
  /** Output and resizes that the copy includes. */
  taken: string | undefined;
  /** Settles once a new copy is made; undefined while none is being made. */
  taking: Promise<void> | undefined;
  askedAt: number;
}

/** Copies of the screens whose rows clients watch, kept as long as clients ask for them. */
export class ScreenCopies {
  readonly #actors: ReadonlyMap<string, TerminalActor>;
  readonly #copies = new Map<string, Copy>();
  #sweeping: NodeJS.Timeout | undefined;
  readonly #fault: (id: string, error: unknown) => void;

  /** @param fault - called when a screen could not be read */
  constructor(actors: ReadonlyMap<string, TerminalActor>, fault: (id: string, error: unknown) => void) {
    this.#actors = actors;
    this.#fault = fault;
  }

  /**
   * Returns the changed rows of the screens that have changed. If a screen needs longer than SCREEN_SAMPLE_MS to take in
   * its output, its earlier copy is used, and a later call returns the new one.
   */
  async rows(queries: readonly RowsQuery[]): Promise<RowsAnswer> {
    const missing = queries.filter(({ id }) => !this.#actors.has(id)).map(({ id }) => id);
    const taking = queries.flatMap(({ id }) => this.#refresh(id) ?? []);
    if (taking.length > 0) {
      const ending = new AbortController();
      const limit = pause(SCREEN_SAMPLE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
      await Promise.race([limit, Promise.all(taking)]);
      ending.abort();
    }
    const frames = queries.flatMap(({ id, since }) => {
      const copy = this.#copies.get(id);
      // A copy that has never been made has no frame.
      const json = copy?.taken === undefined ? undefined : copy.rows.frame(since, MAX_SCREEN_ROWS_CHARS);
      return copy && json !== undefined ? [{ id, since, n: copy.rows.last, json }] : [];
    });
    return { frames, missing };
  }

  /** Begins to make a new copy if the terminal has printed; resolves once it is made. */
  #refresh(id: string): Promise<void> | undefined {
    const actor = this.#actors.get(id);
    if (!actor) return undefined;
    const copy: Copy = this.#copies.get(id) ?? {
      rows: new RowCopies(),
      taken: undefined,
      taking: undefined,
      askedAt: 0,
    };
    this.#copies.set(id, copy);
    copy.askedAt = performance.now();
    this.#sweeping ??= setInterval(() => this.#sweep(), SCREEN_COPY_KEPT_MS).unref();
    const { attached } = actor;
    const isSame = attached && stateOf(attached.received, attached.resizes) === copy.taken;
    if (copy.taking || isSame) return copy.taking;
    copy.taking = actor
      .ask((attached) => take(attached, copy))
      .catch((error: unknown) => {
        // If the terminal is gone, the next call reports that.
        if (!(error instanceof DomainError)) this.#fault(id, error);
      })
      .finally(() => {
        copy.taking = undefined;
      });
    return copy.taking;
  }

  #sweep(): void {
    const oldest = performance.now() - SCREEN_COPY_KEPT_MS;
    for (const [id, { askedAt }] of this.#copies) if (askedAt < oldest) this.#copies.delete(id);
    if (this.#copies.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }
}

function take({ screenActor, resizes }: AttachedTerminal, copy: Copy): Promise<void> {
  return screenActor.askSteps((view) => steps(view, copy, resizes), { own: true, need: 'shown' });
}

/** @param resizes - number of resizes before the question, which the screen has taken as well */
function* steps({ screen, position }: ScreenView, copy: Copy, resizes: number): Steps<void> {
  yield* screen.copySteps(copy.rows);
  copy.taken = stateOf(position, resizes);
}

/**
 * Returns a text that changes when the terminal prints or is resized. Its size would not do: a screen that gets its size
 * back may have lost text meanwhile.
 */
function stateOf(position: number, resizes: number): string {
  return `${position} ${resizes}`;
}
