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
import { type AskPart, isClosed, WaitPart, whole } from './wait-parts.js';

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

const WAIT = '/api/terminals/wait';
const RUN = '/api/terminals/batch/run';

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
   *
   * @param ids - the selected terminals of this machine
   */
  async wait(
    body: WaitManyBody,
    ids: readonly string[],
    here: AskPart,
    client: AbortSignal,
  ): Promise<WaitManyAnswer> {
    const deadline = performance.now() + body.timeoutMs;
    const { machines: _machines, selector = {}, terminalIds: _ids, ...rest } = body;
    const selected = await this.#options.roster.select(textOfSelector(selector), 'all', client);
    const away = selected.map(({ entry: { machineId, deviceName }, ids: terminalIds, code }) => {
      const ask: AskPart = (part, some, signal) => {
        const named = { ...part, terminalIds: some, selector: undefined };
        return this.#post({ machineId, url: WAIT, body: named }, WaitManyAnswer, signal);
      };
      return new WaitPart(terminalIds, ask, { machineId, deviceName, ...(code !== undefined && { code }) });
    });
    const parts = [new WaitPart(ids, here), ...away];
    for (;;) {
      await Promise.all(parts.map((part) => part.look(rest, (error) => codeOf(error, client), client)));
      const answer = whole(parts, body.mode);
      const left = deadline - performance.now();
      if (answer.done || left <= 0 || isClosed(answer, body.mode)) return answer;
      const open = parts.filter(({ isOpen }) => isOpen);
      await this.#any(open, { ...rest, mode: 'any', timeoutMs: Math.ceil(left) }, client);
    }
  }

  /** Resolves once a part has news, or after some time, since machines may be back by then. */
  async #any(open: readonly WaitPart[], body: WaitManyBody, client: AbortSignal): Promise<void> {
    const over = new AbortController();
    const signal = AbortSignal.any([client, over.signal]);
    const lookAgain = delay(Math.min(body.timeoutMs, FLEET_LOOK_MS), undefined, { signal });
    const waits = open.map(async (part) => {
      const isNews = await part.wait(body, signal).catch((error: unknown) => {
        if (part.isHere) throw error;
        return false;
      });
      // A machine that fails, or answers at once with nothing, is asked again with all others.
      if (!isNews) await lookAgain;
    });
    try {
      await Promise.race([...waits, lookAgain]);
    } catch (error) {
      // The pause rejects with an error of its own.
      client.throwIfAborted();
      throw error;
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

/** A refusal of another machine, whose release may have codes that this one does not know. */
class RefusedThere extends Error {
  readonly code: string;

  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** Returns the code of an error of one machine. Throws any other error, and the reason of the client. */
function codeOf(error: unknown, client: AbortSignal): string {
  client.throwIfAborted();
  if (error instanceof DomainError || error instanceof RefusedThere) return error.code;
  throw error;
}
