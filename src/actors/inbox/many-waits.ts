import { setMaxListeners } from 'node:events';
import { DomainError } from '../../contract/errors.js';
import { matches, type Selector } from '../../contract/labels.js';
import type { WaitManyAnswer, WaitManyBody, WaitManyResult } from '../../contract/wait-many.js';
import type { Terminals } from '../terminals.js';
import { Scope } from '../waits/scope.js';
import type { WaitLimit } from '../waits/wait-limit.js';
import type { Inbox, Wanted } from './inbox.js';
import { type Happened, statusOf } from './occurrence.js';
import { Tally } from './tally.js';

export interface ManyWaitsOptions {
  terminals: Pick<Terminals, 'list' | 'startOf'>;
  inbox: Pick<Inbox, 'inShell' | 'ofAgents' | 'next'>;
  /** Limit that is shared with all other waits. */
  places: WaitLimit;
}

/** Waits until something has happened in enough of many terminals. */
export class ManyWaits {
  readonly #options: ManyWaitsOptions;

  constructor(options: ManyWaitsOptions) {
    this.#options = options;
  }

  /** Returns the ids of the terminals with these labels, including exited ones that are kept. */
  select(selector: Selector): string[] {
    const listed = this.#options.terminals.list('all');
    return listed.filter(({ labels }) => matches(labels, selector)).map(({ id }) => id);
  }

  /**
   * Resolves once something has happened in as many of the terminals as `mode` says, when it no longer can, or when the
   * time is up. The answer has everything that has happened by then. Rejects with `unavailable` when too many wait, and
   * with the reason of `client`.
   */
  async wait(body: WaitManyBody, ids: readonly string[], client: AbortSignal): Promise<WaitManyAnswer> {
    return this.#options.places.hold(ids.length, async () => {
      const scope = new Scope(body.timeoutMs, client);
      try {
        return await this.#wait(body, ids, scope);
      } finally {
        scope.end();
      }
    });
  }

  async #wait(body: WaitManyBody, ids: readonly string[], scope: Scope): Promise<WaitManyAnswer> {
    const wanted: Wanted = { until: body.until, seen: new Set(body.seen) };
    const tally = new Tally(ids, body.mode);
    this.#takeShells(tally, wanted);
    if (body.timeoutMs > 0 && tally.isOpen) await scope.race(this.#untilEnough(tally, wanted, scope.signal));
    // Many agents may have begun to ask at the same time. Only `waiting` can be established by a single look; a call
    // that asks for the present state takes any status that a single look shows.
    const until = body.timeoutMs > 0 ? wanted.until.filter((event) => event === 'waiting') : wanted.until;
    const asked = new Set(tally.pending);
    for (const [id, happened] of await this.#options.inbox.ofAgents(asked, { ...wanted, until })) {
      this.#take(tally, id, () => happened);
    }
    this.#takeShells(tally, wanted);
    return tally.answer();
  }

  /** Resolves once enough has happened, or no longer can. Rejects with faults. */
  async #untilEnough(tally: Tally, wanted: Wanted, signal: AbortSignal): Promise<void> {
    // Every terminal listens for the end of the wait.
    setMaxListeners(0, signal);
    await new Promise<void>((resolve, reject) => {
      const watch = async (id: string) => {
        const happened = await this.#next(id, wanted, signal);
        if (signal.aborted) return;
        this.#take(tally, id, happened);
        if (!tally.isOpen) resolve();
      };
      for (const id of tally.pending) {
        watch(id).catch((error: unknown) => {
          // Once the wait is over, the rejection says only that it is over.
          if (!signal.aborted) reject(error);
        });
      }
    });
  }

  /**
   * Resolves with a function that returns the next occurrence, or throws the error of the wait, such as that the
   * terminal is gone.
   */
  async #next(id: string, wanted: Wanted, signal: AbortSignal): Promise<() => Happened | null> {
    try {
      const happened = await this.#options.inbox.next(id, wanted, signal);
      return () => happened;
    } catch (error) {
      return () => {
        throw error;
      };
    }
  }

  #takeShells(tally: Tally, wanted: Wanted): void {
    for (const id of tally.pending) this.#take(tally, id, () => this.#options.inbox.inShell(id, wanted));
  }

  /** Adds the occurrence in a terminal, if there is one. A terminal that does not exist yields a result, too. */
  #take(tally: Tally, id: string, happened: () => Happened | null | undefined): void {
    try {
      const found = happened();
      if (found !== undefined) tally.add(this.#resultOf(id, found));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      tally.add({ terminalId: id, event: null, error: error.message, code: error.code });
    }
  }

  #resultOf(id: string, happened: Happened | null): WaitManyResult {
    const { meta, exit } = this.#options.terminals.startOf(id);
    const gone = { terminalId: id, event: null, ...(exit && statusOf(exit)) };
    return { ...(happened ?? gone), name: meta.name, labels: meta.labels };
  }
}
