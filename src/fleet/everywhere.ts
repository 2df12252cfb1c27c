import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { DomainError } from '../contract/errors.js';
import type { MachinePart } from '../contract/everywhere.js';
import { textOfSelector } from '../contract/labels.js';
import { FLEET_LOOK_MS } from '../contract/limits.js';
import { BatchRunAnswer, type BatchRunBody } from '../contract/run.js';
import { WaitManyAnswer, type WaitManyBody } from '../contract/wait-many.js';
import { codeIn, jsonIn } from './answers.js';
import type { Roster, RosterOptions } from './roster.js';

export interface EverywhereOptions {
  roster: Pick<Roster, 'select'>;
  call: RosterOptions['call'];
}

/** Another machine with the terminals that a request selects there; with the code of the error if it did not say which. */
type SelectedAt = Omit<MachinePart, 'runId' | 'terminalIds'> & { terminalIds: string[] };

/** Outcome of a run on another machine. */
interface RunPart {
  machine: MachinePart;
  answer?: BatchRunAnswer;
}

/** A part of a wait: here, or on another machine, in the terminals that were selected there. */
interface Part {
  machine?: MachinePart;
  terminalIds: string[];
  ask: (body: WaitManyBody, client: AbortSignal) => Promise<WaitManyAnswer>;
}

const WAIT = '/api/terminals/wait';
const RUN = '/api/terminals/batch/run';

/** Code of a machine that lets this one observe nothing: it has no terminal that a selector could mean. */
const NOTHING = 'not-granted';

/** Requests that select terminals on all machines of the fleet by their labels. */
export class Everywhere {
  readonly #options: EverywhereOptions;

  constructor(options: EverywhereOptions) {
    this.#options = options;
  }

  /** Resolves with the terminals of the other machines that a run selects. Rejects with the reason of `client`. */
  async select({ selector = {} }: BatchRunBody, client: AbortSignal): Promise<SelectedAt[]> {
    const selected = await this.#options.roster.select(textOfSelector(selector), 'running', client);
    return selected.map(({ entry: { machineId, deviceName }, ids: terminalIds, code }) => ({
      ...{ machineId, deviceName, terminalIds, ...(code !== undefined && { code }) },
    }));
  }

  /**
   * Runs a command also in these terminals of the other machines. A machine that fails is a part of the answer, not a
   * rejection. Rejects as `own` does, and with the reason of `client`.
   *
   * @param own - the run on this machine
   * @param key - Idempotency-Key of the request
   */
  async run(
    { machines: _machines, selector: _selector, lease: _lease, ...body }: BatchRunBody,
    selected: readonly SelectedAt[],
    own: Promise<BatchRunAnswer>,
    key: string | undefined,
    client: AbortSignal,
  ): Promise<BatchRunAnswer> {
    const asked = selected.map(async ({ terminalIds, ...machine }): Promise<RunPart> => {
      const { machineId } = machine;
      if (terminalIds.length === 0) return { machine };
      const sent = { ...body, terminalIds };
      try {
        const answer = await this.#post({ machineId, url: RUN, body: sent, key }, BatchRunAnswer, client);
        return { machine: { ...machine, runId: answer.runId }, answer };
      } catch (error) {
        return { machine: { ...machine, terminalIds, code: codeOf(error, client) } };
      }
    });
    const parts = Promise.all(asked);
    // They may fail while the run here is awaited.
    parts.catch(() => undefined);
    const [{ results, summary, runId }, ...others] = [await own, ...(await parts)];
    const all = others.flatMap(({ machine: { machineId }, ...part }) =>
      (part.answer?.results ?? []).map((result) => ({ ...result, machineId })),
    );
    const summaries = [summary, ...others.flatMap(({ answer }) => answer?.summary ?? [])];
    const sum = (name: keyof typeof summary) => summaries.reduce((total, each) => total + each[name], 0);
    return {
      runId,
      results: [...results, ...all],
      summary: {
        ...{ total: sum('total'), succeeded: sum('succeeded'), failed: sum('failed') },
        ...{ done: sum('done'), zero: sum('zero'), nonZero: sum('nonZero') },
      },
      machines: others.map(({ machine }) => machine),
    };
  }

  /**
   * Waits also in the selected terminals of the other machines. While the state of one of them is unknown, `mode:
   * "all"` is not done. Rejects as `here` does, and with the reason of `client`.
   */
  async wait(body: WaitManyBody, here: Part['ask'], client: AbortSignal): Promise<WaitManyAnswer> {
    const deadline = performance.now() + body.timeoutMs;
    const { machines: _machines, selector = {}, terminalIds: _ids, ...rest } = body;
    const selected = await this.#options.roster.select(textOfSelector(selector), 'all', client);
    const away = selected.map(({ entry: { machineId, deviceName }, ids: terminalIds, code }): Part => {
      const machine: MachinePart = { machineId, deviceName, ...(code !== undefined && { code }) };
      const ask: Part['ask'] = (part, signal) => {
        const named = { ...part, terminalIds, selector: undefined };
        return this.#post({ machineId, url: WAIT, body: named }, WaitManyAnswer, signal);
      };
      return { machine, terminalIds, ask: terminalIds.length > 0 ? ask : async () => NONE };
    });
    const parts: Part[] = [{ terminalIds: [], ask: here }, ...away];
    for (;;) {
      const looks = await Promise.all(
        parts.map((part) => this.#look(part, { ...rest, selector, timeoutMs: 0 }, client)),
      );
      const answer = whole(looks, body.mode);
      const left = deadline - performance.now();
      if (answer.done || left <= 0 || isClosed(answer, body.mode)) return answer;
      const seen = [...body.seen, ...answer.results.flatMap(({ id }) => id ?? [])];
      const open = looks.filter(({ answer: { pending } }) => pending.length > 0);
      await this.#any(open, { ...rest, selector, seen, mode: 'any', timeoutMs: Math.ceil(left) }, client);
    }
  }

  async #look(part: Part, body: WaitManyBody, client: AbortSignal): Promise<Look> {
    const { machine, terminalIds } = part;
    try {
      const answer = await part.ask(body, client);
      if (!machine) return { part, answer };
      const { machineId } = machine;
      const results = answer.results.map((result) => ({ ...result, machineId }));
      return { part, machine, answer: { ...answer, results } };
    } catch (error) {
      if (!machine) throw error;
      return { part, machine: { ...machine, terminalIds, code: codeOf(error, client) }, answer: NONE };
    }
  }

  /** Resolves once a part has news, or after some time, since machines may be back by then. */
  async #any(open: readonly Look[], body: WaitManyBody, client: AbortSignal): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([client, over.signal]);
    const lookAgain = delay(Math.min(body.timeoutMs, FLEET_LOOK_MS), undefined, { signal });
    const waits = open.map(({ part }) =>
      part.ask(body, signal).catch(async (error: unknown) => {
        // It is asked again with all others.
        if (!part.machine) throw error;
        await lookAgain;
      }),
    );
    try {
      await Promise.race([...waits, lookAgain]);
    } finally {
      over.abort(new DomainError('client-gone'));
      for (const each of [...waits, lookAgain]) Promise.resolve(each).catch(() => undefined);
    }
    client.throwIfAborted();
  }

  /** Rejects with {@link RefusedThere} also for an answer outside the protocol. */
  async #post<Answer>(
    { machineId, url, body, key }: { machineId: string; url: string; body: object; key?: string | undefined },
    schema: z.ZodType<Answer>,
    client: AbortSignal,
  ): Promise<Answer> {
    const request = { method: 'POST', url, body: JSON.stringify(body), ...(key !== undefined && { key }) };
    const answer = await this.#options.call(machineId, request, client);
    const content = jsonIn(answer);
    if (answer.status !== 200) throw new RefusedThere(codeIn(content) ?? 'internal');
    const parsed = schema.safeParse(content);
    if (!parsed.success) throw new RefusedThere('fleet-protocol');
    return parsed.data;
  }
}

/** Present answer of one part. */
interface Look {
  part: Part;
  machine?: MachinePart;
  answer: WaitManyAnswer;
}

/** A refusal of another machine, whose release may have codes that this one does not know. */
class RefusedThere extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

const NONE: WaitManyAnswer = {
  ...{ done: false, results: [], pending: [] },
  summary: { total: 0, met: 0, gone: 0, pending: 0 },
};

function whole(looks: readonly Look[], mode: WaitManyBody['mode']): WaitManyAnswer {
  const sum = (name: keyof WaitManyAnswer['summary']) =>
    looks.reduce((total, { answer }) => total + answer.summary[name], 0);
  const summary = { total: sum('total'), met: sum('met'), gone: sum('gone'), pending: sum('pending') };
  const machines = looks.flatMap(({ machine }) => machine ?? []);
  const needed = mode === 'any' ? 1 : mode === 'all' ? summary.total : mode;
  return {
    done: summary.total > 0 && summary.met >= needed && (mode !== 'all' || isComplete(machines)),
    results: looks.flatMap(({ answer }) => answer.results),
    pending: looks.flatMap(({ answer }) => answer.pending),
    summary,
    machines,
  };
}

/** Returns whether the awaited condition can no longer come true, as far as all machines have answered. */
function isClosed({ summary, machines = [] }: WaitManyAnswer, mode: WaitManyBody['mode']): boolean {
  const needed = mode === 'any' ? 1 : mode === 'all' ? summary.total : mode;
  return isComplete(machines) && summary.met + summary.pending < Math.max(1, needed);
}

/** Returns whether the answers of these machines are about all terminals that could be meant. */
function isComplete(machines: readonly MachinePart[]): boolean {
  return machines.every(
    ({ code, terminalIds }) => code === undefined || (code === NOTHING && terminalIds === undefined),
  );
}

/** Returns the code of an error of one machine. Throws any other error, and the reason of the client. */
function codeOf(error: unknown, client: AbortSignal): string {
  client.throwIfAborted();
  if (error instanceof DomainError || error instanceof RefusedThere) return error.code;
  throw error;
}
