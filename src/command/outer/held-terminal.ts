import { setTimeout as pause, setImmediate as turnOfLoop } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import { type OuterOut, OuterTerminal } from './outer-terminal.js';

/** Longest wait for a terminal that hangs, at the end. */
const LEAVE_MS = 2_000;

/** Time after a stop in which a shell may send what ends the process. */
const SIGNALS_MS = 10;

const ENDING_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;

export interface HeldTerminalOptions {
  /** Absent if no keys are read: then the terminal stays in its own mode. */
  stdin?: ReadStream | undefined;
  stdout: OuterOut;
  /** Counts as SIGINT. */
  signal?: AbortSignal | undefined;
  /** Begins to draw: when the terminal is taken, and again after a stop. */
  enter: () => Promise<void>;
  /** Ends drawing. Returns what resets the terminal. */
  leave: () => string;
  onData: (data: Buffer) => void;
  onResize: () => void;
  /** The process was asked to end, or the terminal is gone (SIGHUP). */
  onSignal: (signal: string) => void;
  /** Called with an error that no caller can get. */
  onFault: (error: unknown) => void;
}

/**
 * The terminal of the person, taken to draw in it and to read its keys, and given back as it was on every way out: when
 * it is released, at a signal, at an exception, and while the process is stopped.
 */
export class HeldTerminal {
  readonly outer: OuterTerminal;
  readonly #options: HeldTerminalOptions;
  #isTaken = false;
  #isLost = false;
  /** The process is stopped, or has just been continued: perhaps in the background. */
  #isStopped = false;
  /** The signal that asked the process to end. */
  #ending: string | undefined;
  /** Stops and continuations, one after the other. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: HeldTerminalOptions) {
    this.#options = options;
    this.outer = new OuterTerminal(options.stdin, options.stdout);
  }

  /** Whether the terminal is gone, or takes nothing any more. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async take(): Promise<void> {
    const { stdin, stdout, signal, onData, onResize } = this.#options;
    this.#isTaken = true;
    process.on('exit', this.#onExit);
    for (const name of ENDING_SIGNALS) process.on(name, this.#onSignal);
    this.#listenForStops();
    signal?.addEventListener('abort', this.#onAbort);
    if (signal?.aborted) this.#onAbort();
    stdout.on('resize', onResize);
    this.outer.reopen();
    this.outer.setRaw();
    stdin?.on('data', onData).on('end', this.#onHangup).on('error', this.#onHangup);
    stdin?.resume();
    await this.#options.enter();
  }

  /**
   * Gives the terminal back. Does nothing if it is not taken. With `isKeptRaw` it keeps passing each key on, for whoever
   * takes it next: otherwise keys that are typed meanwhile would be echoed and wait for the end of a line.
   */
  async release({ isKeptRaw = false } = {}): Promise<void> {
    if (!this.#isTaken) return;
    this.#isTaken = false;
    const { stdin, stdout, signal, onData, onResize } = this.#options;
    stdin?.off('data', onData).off('end', this.#onHangup).off('error', this.#onHangup);
    stdin?.pause();
    stdout.off('resize', onResize);
    signal?.removeEventListener('abort', this.#onAbort);
    await this.#giveBack(isKeptRaw);
    process.off('exit', this.#onExit);
    this.#ignoreStops();
    for (const name of ENDING_SIGNALS) process.off(name, this.#onSignal);
    // Node sets the terminal once more at its exit (seen in 24), which would stop a process in the background.
    if (this.#isStopped && this.#ending !== undefined) process.kill(process.pid, this.#ending);
  }

  /** Stops the job of the process, as Ctrl+Z does in a terminal that is not held. */
  suspend(): void {
    process.kill(0, 'SIGTSTP');
  }

  async #giveBack(isKeptRaw = false): Promise<void> {
    this.outer.close();
    const reset = this.outer.writeLast(this.#options.leave()).then(
      () => true,
      () => false,
    );
    const isReset = await Promise.race([reset, pause(LEAVE_MS, false, { ref: false })]);
    // Setting a terminal that takes nothing any more would wait for it, without end.
    if (!isReset) this.#isLost = true;
    else if (!isKeptRaw) this.outer.setCooked();
  }

  #listenForStops(): void {
    process.on('SIGTSTP', this.#onStop).on('SIGCONT', this.#onContinue);
  }

  #ignoreStops(): void {
    process.off('SIGTSTP', this.#onStop).off('SIGCONT', this.#onContinue);
  }

  async #stop(): Promise<void> {
    if (!this.#isTaken) return;
    await this.#giveBack();
    // The system decides about a signal without a listener: it does not stop a process that no shell could continue.
    this.#ignoreStops();
    this.#isStopped = true;
    process.kill(process.pid, 'SIGTSTP');
    // A shell ends a stopped job by SIGTERM and SIGCONT, in the background: taking the terminal there stops it again.
    // Node reports signals that came during the stop when it next looks for events: on a full machine, a timer alone
    // may run before that.
    await turnOfLoop();
    await turnOfLoop();
    await pause(SIGNALS_MS);
    if (!this.#isTaken) return;
    this.#isStopped = false;
    this.#listenForStops();
    await this.#resume();
  }

  /** Takes the terminal again after a stop of which the process may have learned only now. */
  async #continue(): Promise<void> {
    if (!this.#isTaken) return;
    await this.#giveBack();
    await this.#resume();
  }

  async #resume(): Promise<void> {
    // Released meanwhile: the terminal belongs to the person again.
    if (!this.#isTaken) return;
    this.outer.reopen();
    this.outer.setRaw();
    // Only programs in the foreground are told that the size has changed; Node asks for it again.
    process.emit('SIGWINCH', 'SIGWINCH');
    await this.#options.enter();
    if (this.#isTaken) this.#options.onResize();
  }

  readonly #onExit = () => this.outer.writeNow(this.#options.leave());

  readonly #onSignal = (signal: string) => {
    this.#ending = signal;
    this.#options.onSignal(signal);
  };

  readonly #onAbort = () => this.#options.onSignal('SIGINT');

  readonly #onHangup = () => this.#options.onSignal('SIGHUP');

  readonly #onStop = () => this.#turn(() => this.#stop());

  readonly #onContinue = () => this.#turn(() => this.#continue());

  #turn(work: () => Promise<void>): void {
    this.#turns = this.#turns.then(work).catch(this.#options.onFault);
  }
}

/** Whether an error says that the person's terminal is gone. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EIO' || code === 'EPIPE' || code === 'EBADF';
}
