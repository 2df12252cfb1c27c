import type { FrameVariant, Interest } from './protocol.js';

const NONE: ReadonlySet<FrameVariant> = new Set();

/** The output that is watched, and its forms. Output that is not watched is not encoded. */
export class Subscriptions {
  #all: ReadonlySet<FrameVariant> = NONE;
  #terminals = new Map<string, ReadonlySet<FrameVariant>>();

  /** Whether to report that terminals print. */
  activity = false;
  /** Whether to report bells. */
  bells = false;

  set(interest: Interest): void {
    this.activity = interest.activity ?? false;
    this.bells = interest.bells ?? false;
    this.#all = new Set(interest.all);
    this.#terminals = new Map(
      [...interest.terminals].map(([id, variants]) => [id, new Set([...interest.all, ...variants])]),
    );
  }

  /** Returns the watched forms of a terminal's output; another set after each {@link set}. */
  of(id: string): ReadonlySet<FrameVariant> {
    return this.#terminals.get(id) ?? this.#all;
  }
}
