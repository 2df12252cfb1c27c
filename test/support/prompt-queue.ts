import type { Delivery, Into, Outcome } from '#dist/actors/prompts/delivery.js';
import type { KeptPrompt } from '#dist/actors/prompts/kept-prompt.js';
import { Prompts } from '#dist/actors/prompts/prompts.js';
import { DomainError } from '#dist/contract/errors.js';
import { PromptBody } from '#dist/contract/prompt.js';
import type { KeptEvent } from '#dist/contract/service-event.js';
import { eventually } from './processes.js';

/** The records on the disk: a record is there once its write has resolved. */
export class Disk {
  readonly records = new Map<string, KeptPrompt>();
  /** Called before each write. */
  onWrite: (id: string, value: KeptPrompt) => void = () => undefined;

  collection() {
    return {
      all: () => new Map(this.records),
      get: (id: string) => this.records.get(id),
      put: async (id: string, value: KeptPrompt) => {
        this.onWrite(id, value);
        await Promise.resolve();
        this.records.set(id, value);
      },
      remove: async (id: string) => void this.records.delete(id),
    };
  }
}

/** A terminal whose readiness the test sets. */
export class Terminal implements Delivery {
  readonly typed: string[] = [];
  isReady = true;
  isLocked = false;
  outcomeOf: (prompt: string) => Promise<Outcome> = async () => ({ state: 'submitted' });
  refusals: string[] = [];
  /** Called while a prompt is being typed. */
  onType: () => void = () => undefined;
  isCleared = false;
  readonly #until = (what: () => boolean, signal: AbortSignal) =>
    eventually('the terminal', () => {
      signal.throwIfAborted();
      return what();
    });

  async ready(_id: string, _when: string, signal: AbortSignal): Promise<Into> {
    await this.#until(() => this.isReady, signal);
    return 'agent';
  }
  async enter(_id: string, _into: Into, _record: KeptPrompt, signal: AbortSignal) {
    await this.#until(() => !this.isLocked, signal);
    return { check: () => undefined, release: () => undefined };
  }
  isStillReady = () => this.isReady;
  async type(_id: string, _into: Into, _prompt: string, { prompt }: KeptPrompt) {
    this.onType();
    const refusal = this.refusals.shift();
    if (refusal) throw new DomainError(refusal as 'locked');
    this.typed.push(prompt);
    return { outcome: () => this.outcomeOf(prompt) };
  }
  untilCleared = (_id: string, signal: AbortSignal) => this.#until(() => this.isCleared, signal);
}

const BY = { kind: 'service' as const, verified: false };
/** The services that run; those that are killed are taken out. */
export const running = new Set<Prompts>();

/** Stops all services. */
export async function stopAll(): Promise<void> {
  for (const prompts of running) await prompts.stop();
  running.clear();
}

/** Starts a service on a disk; prompts are typed into `terminal`, and `exits` ends that terminal. */
export function start(
  disk: Disk,
  terminal: Terminal,
  { isGone = false, mayType = () => true }: { isGone?: boolean; mayType?: () => boolean } = {},
) {
  const events: KeptEvent[] = [];
  const faults: unknown[] = [];
  let tell: (event: never) => void = () => undefined;
  let hasExited = isGone;
  const prompts = new Prompts({
    collection: disk.collection(),
    log: { append: (event) => void events.push(event) },
    logger: { error: (fault: unknown) => void faults.push(fault) } as never,
  });
  running.add(prompts);
  prompts.start({
    terminals: {
      startOf: () => ({ exit: hasExited ? {} : null }) as never,
      subscribe: (listener) => {
        tell = listener as never;
      },
    },
    labelsOf: () => ({}),
    delivery: terminal,
    checkCliType: () => undefined,
    mayType,
  });
  let count = disk.records.size;
  return {
    ...{ prompts, events, faults },
    add: (prompt: string, body: object = {}) =>
      prompts.add({
        ...{ id: `pr_${++count}`, terminalId: 't', by: BY, request: undefined },
        body: PromptBody.parse({ prompt, ...body }),
      }),
    states: () => prompts.list({}).map(({ prompt, state }) => `${prompt} ${state}`),
    exits: () => {
      hasExited = true;
      tell({ type: 'exited', id: 't' } as never);
    },
  };
}
