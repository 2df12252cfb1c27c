import { InputGate } from '../../../src/actors/input-gate/input-gate.js';
import { Typist, type TypistOptions } from '../../../src/actors/typist.js';
import type { LeaseChange } from '../../../src/contract/input-gate.js';
import type { InputPart } from '../../../src/contract/terminal.js';
import type { AgentStatus } from '../../../src/contract/wait.js';

export const ID = 'term_1';

/** Settings of the simulated service. */
export const SETTINGS = { protectHumans: 'off', humanQuietMs: 3_000, draftHoldMs: 60_000 } as const;

/** An event, in the order of events; `at` in simulated milliseconds. */
export type Fact = { at: number } /** `agent`: the agent's real status when the text was sent. */ & (
  | { kind: 'sent'; text: string; agent: AgentStatus }
  | { kind: 'accepted'; text: string }
  | { kind: 'lease'; change: LeaseChange }
  | { kind: 'renewed'; leaseId: string }
  | { kind: 'asked' | 'left' | 'settled' | 'entered' | 'released'; op: number }
);

/** Lets all resolved promises continue. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * A typist and its gate, with a simulated host, clock and agent: the host answers and writes, and time passes, only
 * when the test says so, and the agent shows its status only when it prints.
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
        // The screen is read now; the answer comes with the host's answers.
        const seen = { state: { agent: 'claude', agentStatus: this.#shown }, printedAt: this.#printedAt };
        return new Promise((resolve) => this.#answers.push(() => resolve(seen)));
      },
    };
    this.typist = new Typist(options as unknown as TypistOptions);
  }

  /** Returns the simulated time in milliseconds; as on a real clock, no two calls return the same. */
  now(): number {
    this.#now += 0.001;
    return this.#now;
  }

  note(fact: Fact extends infer Each ? (Each extends Fact ? Omit<Each, 'at'> : never) : never): void {
    this.facts.push({ ...fact, at: this.now() } as Fact);
  }

  /**
   * Lets time pass. The agent reacts before each timer fires, since the gate waits for a reaction only for a limited
   * time.
   */
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

  /** Makes the agent print its status; an agent that works takes the new status. */
  react(status: AgentStatus): void {
    if (this.agent === 'working') this.agent = status;
    this.#shown = this.agent;
    this.#printedAt = this.now();
  }

  /** Makes the host answer or write one pending request; returns false if nothing is pending. */
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
          // The program reads an Enter at once; its reaction shows only later.
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
