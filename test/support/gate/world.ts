import { InputGate } from '../../../src/actors/input-gate/input-gate.js';
import { Typist, type TypistOptions } from '../../../src/actors/typist.js';
import type { LeaseChange } from '../../../src/contract/input-gate.js';
import type { InputPart } from '../../../src/contract/terminal.js';
import type { AgentStatus } from '../../../src/contract/wait.js';

export const ID = 'term_1';

/** Settings of the simulated service. */
export const SETTINGS = { protectHumans: 'off', humanQuietMs: 3_000, draftHoldMs: 60_000 } as const;

/** What has happened, in order; `at` in simulated milliseconds. */
export type Fact = { at: number } /** `agent`: what the agent really did when it was sent. */ & (
  | { kind: 'sent'; text: string; agent: AgentStatus }
  | { kind: 'accepted'; text: string }
  | { kind: 'lease'; change: LeaseChange }
  | { kind: 'renewed'; leaseId: string }
  | { kind: 'asked' | 'left' | 'settled' | 'entered' | 'released'; op: number }
);

/** Lets everything that has been resolved go on. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A typist and its gate, with a host, a clock and an agent that are simulated: the host answers and writes when it is
 * told to, time passes when it is told to, and the agent shows what it does only when it prints.
 */
export class World {
  readonly facts: Fact[] = [];
  readonly gate: InputGate;
  readonly typist: Typist;
  readonly #timers = new Set<{ at: number; call: () => void }>();
  /** Answers of the host that are under way. */
  readonly #answers: (() => void)[] = [];
  readonly #once = new Set<string>();
  #now = 1_000_000;
  agent: AgentStatus = 'idle';
  #shown: AgentStatus = 'idle';
  #printedAt = 0;

  constructor() {
    const record = { id: ID, handle: 1, exit: null, writes: 0, inFlight: 0 };
    this.gate = new InputGate({
      settings: () => SETTINGS,
      isRunning: () => true,
      isInFlight: () => record.inFlight > 0,
      emit: ({ change }) => this.note({ kind: 'lease', change }),
      clock: { now: () => this.now(), after: (ms, call) => this.#after(ms, call) },
    });
    const options = {
      registry: { running: () => record, get: () => record, find: () => record },
      events: { emit: () => undefined },
      host: async () => this.#host(),
      gate: this.gate,
      audit: { begin: () => undefined, taken: () => undefined },
      agentOf: () => {
        // The screen is read now; the answer comes when the host's answers do.
        const seen = { state: { agent: 'claude', agentStatus: this.#shown }, printedAt: this.#printedAt };
        return new Promise((resolve) => this.#answers.push(() => resolve(seen)));
      },
    };
    this.typist = new Typist(options as unknown as TypistOptions);
  }

  /** No two moments are the same, as on a real clock. */
  now(): number {
    this.#now += 0.001;
    return this.#now;
  }

  note(fact: Fact extends infer Each ? (Each extends Fact ? Omit<Each, 'at'> : never) : never): void {
    this.facts.push({ ...fact, at: this.now() } as Fact);
  }

  /** Lets time pass. The agent reacts first: only that long does the gate wait for a reaction. */
  async pass(ms: number): Promise<void> {
    const until = this.#now + ms;
    for (;;) {
      await turn();
      this.react('idle');
      const [next] = [...this.#timers].sort((one, other) => one.at - other.at);
      if (!next || next.at > until) break;
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.call();
    }
    this.#now = Math.max(this.#now, until);
  }

  /** The agent prints what it does, if it has something to react to. */
  react(status: AgentStatus): void {
    if (this.agent === 'working') this.agent = status;
    this.#shown = this.agent;
    this.#printedAt = this.now();
  }

  /** The host answers one request, or writes it, whichever is next; returns false if nothing is under way. */
  answer(pick: number): boolean {
    const [next] = this.#answers.splice(pick % Math.max(1, this.#answers.length), 1);
    next?.();
    return next !== undefined;
  }

  #after(ms: number, call: () => void): () => void {
    const timer = { at: this.#now + ms, call };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  #host() {
    return {
      wasTyped: async (_handle: number, once: string) => this.#once.has(once),
      type: (
        _handle: number,
        parts: InputPart[],
        once: string | undefined,
        onWritten?: (handle: number, written: object) => void,
      ) => {
        const text = parts.map(({ data }) => data).join('');
        const isRepeated = once !== undefined && this.#once.has(once);
        if (once !== undefined) this.#once.add(once);
        if (!isRepeated) {
          this.note({ kind: 'sent', text, agent: this.agent });
          // The program reads an Enter at once; what it does about it is seen later.
          if (text.includes('\r')) this.agent = 'working';
        }
        return new Promise<boolean>((resolve) => {
          this.#answers.push(() => {
            if (!isRepeated) this.note({ kind: 'accepted', text });
            resolve(isRepeated);
            if (!isRepeated) this.#answers.push(() => onWritten?.(1, { isHidden: false, position: 0 }));
          });
        });
      },
    };
  }
}
