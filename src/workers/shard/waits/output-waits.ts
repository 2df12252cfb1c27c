import { DomainError } from '../../../contract/errors.js';
import { CALL_DEADLINE_MS, MAX_WAIT_MS } from '../../../contract/limits.js';
import { hrMs } from '../../clock.js';
import { type Deferred, deferred } from '../deferred.js';
import type { Awaited, Met } from '../protocol.js';
import type { CommandTracker } from '../stages/command-tracker.js';
import { ProgramText } from './program-text.js';
import { type TextSource, type TextWait, TextWaits } from './text-waits.js';

/** Longest duration of a wait. It ends a wait whose caller is gone without cancelling it. */
const LONGEST_WAIT_MS = MAX_WAIT_MS + CALL_DEADLINE_MS;

/** The terminal whose output is awaited. */
export interface Awaitable extends TextSource {
  tracker: Pick<CommandTracker, 'shellRanges'>;
  /** Position after the last output received. */
  received: number;
}

interface Wait {
  awaited: Awaited;
  answer: Deferred<Met>;
  expiry: NodeJS.Timeout;
  /** Checks whether the terminal is idle. */
  timer: NodeJS.Timeout | undefined;
  text: TextWait | undefined;
}

/** All waits for output of one terminal. Each wait is settled once, by the first event that ends it. */
export class OutputWaits {
  readonly #waits = new Map<number, Wait>();
  /** Waits that end with any output after a position. */
  readonly #forOutput = new Map<number, { after: number }>();
  #present: { terminal: Awaitable; texts: TextWaits } | undefined;
  #hasExited = false;

  get isEmpty(): boolean {
    return this.#waits.size === 0;
  }

  /** See {@link ShardApi.until}. No other wait may have the same `number`. */
  add(number: number, awaited: Awaited): Promise<Met> {
    const answer = deferred<Met>();
    const expiry = setTimeout(() => this.cancel(number), LONGEST_WAIT_MS);
    this.#waits.set(number, { awaited, answer, expiry, timer: undefined, text: undefined });
    this.#begin(number);
    return answer.promise;
  }

  /** Rejects a wait with `unavailable` unless it is already settled. */
  cancel(number: number): void {
    this.#fail(number, new DomainError('unavailable'));
  }

  get hasBegun(): boolean {
    return this.#present !== undefined;
  }

  /** Begins the waits, once. Call when the terminal has caught up with output printed before its shard took it in. */
  begin(terminal: Awaitable): void {
    this.#present = {
      terminal,
      texts: new TextWaits(terminal, new ProgramText(terminal.tracker.shellRanges)),
    };
    for (const number of [...this.#waits.keys()]) this.#begin(number);
  }

  /** Checks output that the screen actor has already received. */
  output(bytes: Uint8Array): void {
    if (!this.#present) return;
    const { terminal, texts } = this.#present;
    for (const [number, { after }] of this.#forOutput) if (terminal.received > after) this.#met(number);
    texts.output(bytes, terminal.received);
  }

  /** Ends all waits, because no output follows; waits for a text only after all output has been searched. */
  exited(): void {
    this.#hasExited = true;
    for (const [number, { awaited }] of this.#waits) if (awaited.kind !== 'text') this.#gone(number);
    const texts = this.#present?.texts;
    if (!texts || this.isEmpty) return;
    const numbers = [...this.#waits.keys()];
    const end = (error: Error) => {
      for (const number of numbers) this.#fail(number, error);
    };
    texts.look().then(() => end(new DomainError('terminal-not-found')), end);
  }

  close(error: Error): void {
    for (const number of [...this.#waits.keys()]) this.#fail(number, error);
  }

  #begin(number: number): void {
    const wait = this.#waits.get(number);
    if (!wait || !this.#present) return;
    const { awaited } = wait;
    if (awaited.kind === 'text') this.#beginText(number, wait, awaited, this.#present.texts);
    else if (awaited.kind === 'output') this.#beginOutput(number, awaited.after, this.#present.terminal);
    else if (this.#hasExited) this.#gone(number);
    else this.#checkIdle(number, wait, awaited.idleMs, this.#present.terminal);
  }

  #beginText(
    number: number,
    wait: Wait,
    { text, since, echo }: Omit<TextWait, 'met' | 'fail'>,
    texts: TextWaits,
  ): void {
    const met = () => this.#met(number);
    const fail = (error: Error) => this.#fail(number, error);
    wait.text = { text, since, echo, met, fail };
    const isWanted = () => this.#waits.get(number) === wait;
    // If the terminal exits meanwhile, `exited` searches once more and then ends the wait.
    const hadExited = this.#hasExited;
    texts.add(wait.text, isWanted).then(() => hadExited && this.#gone(number), fail);
  }

  #beginOutput(number: number, after: number, { received }: Awaitable): void {
    if (received > after) this.#met(number);
    else if (this.#hasExited) this.#gone(number);
    else this.#forOutput.set(number, { after });
  }

  #checkIdle(number: number, wait: Wait, idleMs: number, terminal: Awaitable): void {
    const left = terminal.printedAt + idleMs - hrMs();
    if (left <= 0) this.#met(number);
    else wait.timer = setTimeout(() => this.#checkIdle(number, wait, idleMs, terminal), Math.ceil(left));
  }

  #met(number: number): void {
    const position = this.#present?.terminal.received ?? 0;
    this.#take(number)?.resolve({ position });
  }

  #gone(number: number): void {
    this.#fail(number, new DomainError('terminal-not-found'));
  }

  #fail(number: number, error: Error): void {
    this.#take(number)?.reject(error);
  }

  /** Removes a wait and returns its answer to settle; undefined if the wait is already settled. */
  #take(number: number): Deferred<Met> | undefined {
    const wait = this.#waits.get(number);
    if (!wait) return undefined;
    this.#waits.delete(number);
    this.#forOutput.delete(number);
    clearTimeout(wait.expiry);
    clearTimeout(wait.timer);
    if (wait.text) this.#present?.texts.remove(wait.text);
    return wait.answer;
  }
}
