import { setTimeout as pause, setImmediate as turnOfLoop } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import { type OuterOut, OuterTerminal } from './outer-terminal.js';

/** Longest wait for a terminal that hangs, at the end. */
const LEAVE_MS = 2_000;

/** Time after a stop in which the signal that ends the process may arrive. */
const SIGNALS_MS = 10;

const ENDING_SIGNALS = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const;

export interface HeldTerminalOptions {
  /** Absent if no keys are read: then the terminal stays in its own mode. */
  stdin?: ReadStream | undefined;
  stdout: OuterOut;
  /** When it fires, that counts as SIGINT. */
  signal?: AbortSignal | undefined;
  /** Begins to draw: when the terminal is taken, and again after a stop. */
  enter: () => Promise<void>;
  /** Ends drawing. Returns the sequences that reset the terminal. */
  leave: () => string;
  onData: (data: Buffer) => void;
  onResize: () => void;
  /** The process was asked to end, or the terminal is gone (SIGHUP). */
  onSignal: (signal: string) => void;
  /** Called with an error that cannot reach a caller. */
  onFault: (error: unknown) => void;
}

/**
 * The person's terminal, taken to draw in it and to read its keys, and restored on every way out: on release, on a
 * signal, on an exception, and while the process is stopped.
 */
export class HeldTerminal {
  readonly outer: OuterTerminal;
  readonly #options: HeldTerminalOptions;
  #isTaken = false;
  #isLost = false;
  /** Whether the process is stopped, or has just been continued, perhaps in the background. */
  #isStopped = false;
  /** The signal that asked the process to end. */
  #ending: string | undefined;
  /** Chain of stops and continuations, which run one after the other. */
  #turns: Promise<void> = Promise.resolve();

  constructor(options: HeldTerminalOptions) {
    this.#options = options;
    this.outer = new OuterTerminal(options.stdin, options.stdout);
  }

  /** Whether the terminal is gone, or accepts no more output. */
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
   * Gives the terminal back. Does nothing if it is not taken. With `isKeptRaw` the terminal stays in raw mode for its
   * next holder: otherwise keys typed meanwhile would be echoed and held until the end of a line.
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
    // Node sets the terminal's mode again at exit (seen in 24), which would stop a background process.
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
    // Setting the mode of a terminal that accepts no output would block for ever.
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
    // Without a listener, the default action applies: the system does not stop a process that no shell could continue.
    this.#ignoreStops();
    this.#isStopped = true;
    process.kill(process.pid, 'SIGTSTP');
    // A shell ends a stopped job by SIGTERM and SIGCONT, in the background: taking the terminal there stops it again.
    // Node reports signals that arrived during the stop when it next polls for events: on a busy machine, a timer alone
    // may run before that.
    await turnOfLoop();
    await turnOfLoop();
    await pause(SIGNALS_MS);
    if (!this.#isTaken) return;
    this.#isStopped = false;
    this.#listenForStops();
    await this.#resume();
  }

  /** Takes the terminal again after a stop that the process may detect only now. */
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
    // Only the foreground job gets SIGWINCH, so a change of size may have been missed: this makes Node read the size again.
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

/** Whether an error means that the person's terminal is gone. */
export function isGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EIO' || code === 'EPIPE' || code === 'EBADF';
}
