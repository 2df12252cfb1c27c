import type { MachinePart } from '../contract/everywhere.js';
import type { Occurrence, WaitManyAnswer, WaitManyBody, WaitManyResult } from '../contract/wait-many.js';

/** Asks for occurrences in some terminals of one machine. */
export type AskPart = (
  body: WaitManyBody,
  terminalIds: string[],
  client: AbortSignal,
) => Promise<WaitManyAnswer>;

/** Statuses that an agent may leave again within half a second. If a look finds such a status, it counts until the next look. */
const UNSTEADY: ReadonlySet<Occurrence | null> = new Set(['idle', 'working']);

/** Code of a machine that lets this one observe nothing: it has no terminal that a selector could mean. */
const NOTHING = 'not-granted';

/**
 * A part of a wait over all machines: here, or on another machine, in the terminals that were selected there. The first
 * result of a terminal counts, as in a wait on one machine: what has happened there may hold no longer when enough has
 * happened elsewhere.
 */
export class WaitPart {
  readonly #terminalIds: readonly string[];
  readonly #ask: AskPart;
  readonly #machine: MachinePart | undefined;
  readonly #results = new Map<string, WaitManyResult>();
  /** Results of the last look that may not hold at the next. */
  #passing = new Map<string, WaitManyResult>();
  /** Code of the error of the last look. */
  #code: string | undefined;

  /** @param machine - the other machine, with the code of its error if it has not answered which terminals are selected */
  constructor(terminalIds: readonly string[], ask: AskPart, machine?: MachinePart) {
    this.#terminalIds = terminalIds;
    this.#ask = ask;
    this.#machine = machine;
  }

  get isHere(): boolean {
    return this.#machine === undefined;
  }

  /** Whether the last look has left terminals in which the event may still happen. */
  get isOpen(): boolean {
    return this.pending.length > 0;
  }

  /** The other machine, with the code of its error and the terminals that it did not answer for. */
  get machine(): MachinePart | undefined {
    if (!this.#machine || this.#code === undefined) return this.#machine;
    return { ...this.#machine, terminalIds: this.#without, code: this.#code };
  }

  get results(): WaitManyResult[] {
    return this.#terminalIds.flatMap((id) => this.#results.get(id) ?? this.#passing.get(id) ?? []);
  }

  /** Terminals in which nothing has happened; none while the machine does not answer. */
  get pending(): string[] {
    return this.#code === undefined ? this.#without.filter((id) => !this.#passing.has(id)) : [];
  }

  get #without(): string[] {
    return this.#terminalIds.filter((id) => !this.#results.has(id));
  }

  /**
   * Takes what holds now. An error of another machine is a code of the answer, not a rejection.
   *
   * @param codeOf - throws an error that says nothing of the machine
   */
  async look(body: WaitManyBody, codeOf: (error: unknown) => string, client: AbortSignal): Promise<void> {
    if (this.#without.length === 0) return;
    this.#passing = new Map();
    try {
      const answer = await this.#ask({ ...body, timeoutMs: 0 }, this.#without, client);
      this.#code = undefined;
      for (const result of answer.results)
        this.#take(result, UNSTEADY.has(result.event) ? this.#passing : this.#results);
    } catch (error) {
      if (this.isHere) throw error;
      this.#code = codeOf(error);
    }
  }

  /** Resolves once something has happened, or at the end of the time, with whether it is the first in a terminal. */
  async wait(body: WaitManyBody, client: AbortSignal): Promise<boolean> {
    const before = this.#without.length;
    const { results } = await this.#ask(body, this.pending, client);
    for (const result of results) this.#take(result, this.#results);
    return this.#without.length < before;
  }

  #take(result: WaitManyResult, into: Map<string, WaitManyResult>): void {
    const from = this.#machine && { machineId: this.#machine.machineId };
    if (!into.has(result.terminalId)) into.set(result.terminalId, { ...result, ...from });
  }
}

export function whole(parts: readonly WaitPart[], mode: WaitManyBody['mode']): WaitManyAnswer {
  const results = parts.flatMap((part) => part.results);
  const pending = parts.flatMap((part) => part.pending);
  const machines = parts.flatMap(({ machine }) => machine ?? []);
  const met = results.filter(({ event }) => event !== null).length;
  const total = results.length + pending.length;
  const needed = mode === 'any' ? 1 : mode === 'all' ? total : mode;
  return {
    done: total > 0 && met >= needed && (mode !== 'all' || isComplete(machines)),
    ...{ results, pending, machines },
    summary: { total, met, gone: results.length - met, pending: pending.length },
  };
}

/** Returns whether the awaited condition can no longer come true, as far as all machines have answered. */
export function isClosed({ summary, machines = [] }: WaitManyAnswer, mode: WaitManyBody['mode']): boolean {
  const needed = mode === 'any' ? 1 : mode === 'all' ? summary.total : mode;
  return isComplete(machines) && summary.met + summary.pending < Math.max(1, needed);
}

/** Returns whether the answers of these machines are about all terminals that could be meant. */
function isComplete(machines: readonly MachinePart[]): boolean {
  return machines.every(
    ({ code, terminalIds }) => code === undefined || (code === NOTHING && terminalIds === undefined),
  );
}
