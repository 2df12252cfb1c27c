import { HeldTerminal, type HeldTerminalOptions, isGone } from '../outer/held-terminal.js';
import { KeyReader } from '../outer/key-reader.js';
import type { CastEvent } from './cast.js';
import { PlayClock, Schedule, speedBeside } from './clock.js';
import { ShownOutput } from './shown-output.js';

/** Output that is due is written in pieces of about this many characters. */
const PIECE_CHARS = 32 * 1024;

/** Longest delay of a Node timer. */
const MAX_PAUSE_MS = 2 ** 31 - 1;

export interface PlayerOptions extends Pick<HeldTerminalOptions, 'stdin' | 'stdout' | 'signal'> {
  /** Returns the output of the recording from its beginning; may be called several times. */
  events: () => AsyncGenerator<CastEvent>;
  speed: number;
  /** Longest time without output, in seconds. */
  idleLimit?: number | undefined;
  /** Seconds of the recording that are shown at once. */
  start?: number | undefined;
}

/** Plays a recording in the person's terminal at its recorded pace, controlled by keys. */
export class Player {
  readonly #options: PlayerOptions;
  readonly #held: HeldTerminal;
  readonly #keys = new KeyReader((key) => this.#press(key));
  readonly #clock: PlayClock;
  readonly #schedule: Schedule;
  #output: ShownOutput | undefined;
  /** Events that have been shown. */
  #count = 0;
  /** Whether the terminal was given back in between, so that the events so far must be shown again. */
  #isShownAgain = false;
  /** Whether the person has paused. */
  #isPaused = false;
  #isStep = false;
  #isOver = false;
  /** Ends a pause. */
  #wake: () => void = () => {};
  #end: (signal: string | undefined) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  readonly #ended = new Promise<string | undefined>((resolve, reject) => {
    this.#end = resolve;
    this.#fail = (error) => (isGone(error) ? resolve('SIGHUP') : reject(error));
  });

  constructor(options: PlayerOptions) {
    this.#options = options;
    this.#clock = new PlayClock(options.speed);
    const { idleLimit, start } = options;
    this.#schedule = new Schedule({
      ...(idleLimit !== undefined && { idleLimit }),
      ...(start !== undefined && { start }),
    });
    this.#held = new HeldTerminal({
      ...{ stdin: options.stdin, stdout: options.stdout, signal: options.signal },
      enter: () => this.#enter(),
      leave: () => this.#leave(),
      onData: (data) => this.#keys.take(data),
      onResize: () => {},
      onSignal: (signal) => this.#end(signal),
      onFault: (error) => this.#fail(error),
    });
  }

  /** Whether the person's terminal is gone, or accepts no more output. */
  get isLost(): boolean {
    return this.#held.isLost;
  }

  /** Plays to the end, or until the person leaves. Resolves with the signal that ended it, if one did. */
  async run(): Promise<string | undefined> {
    // Without this, a failure before the `await` below would be an unhandled rejection.
    this.#ended.catch(() => undefined);
    try {
      await this.#held.take();
      this.#playAll().then(() => this.#end(undefined), this.#fail);
      return await this.#ended;
    } finally {
      this.#isOver = true;
      this.#wake();
      this.#keys.close();
      await this.#held.release();
    }
  }

  #enter(): Promise<void> {
    this.#output = new ShownOutput();
    this.#isShownAgain = this.#count > 0;
    if (!this.#isPaused) this.#clock.start(performance.now());
    this.#wake();
    return this.#held.outer.write(this.#output.begin(this.#held.outer.size));
  }

  #leave(): string {
    // No time passes while the process is stopped.
    this.#clock.stop(performance.now());
    const text = this.#output?.end(this.#held.outer.size) ?? '';
    this.#output = undefined;
    return text;
  }

  async #playAll(): Promise<void> {
    do {
      const shown = this.#isShownAgain ? this.#count : 0;
      this.#isShownAgain = false;
      await this.#play(shown);
    } while (this.#isShownAgain && !this.#isOver);
  }

  /** @param shown - number of events that are shown at once, since they have been shown before */
  async #play(shown: number): Promise<void> {
    let text = '';
    const write = async () => {
      const passed = this.#output?.take(text) ?? '';
      text = '';
      await this.#held.outer.write(passed);
    };
    let index = 0;
    for await (const { time, data } of this.#options.events()) {
      if (index >= shown) {
        const due = this.#schedule.next(time);
        if (this.#clock.msUntil(due, performance.now()) > 0) {
          await write();
          await this.#until(due);
        }
      }
      if (this.#isOver || this.#isShownAgain) return;
      text += data;
      index++;
      this.#count = Math.max(this.#count, index);
      if (text.length >= PIECE_CHARS) await write();
    }
    await write();
  }

  /** Resolves once the clock has reached `due`, or when no more is to be shown. */
  async #until(due: number): Promise<void> {
    while (!this.#isOver && !this.#isShownAgain) {
      const now = performance.now();
      if (this.#isStep) this.#clock.moveTo(due, now);
      this.#isStep = false;
      const ms = this.#clock.msUntil(due, now);
      if (ms === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(ms, MAX_PAUSE_MS));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  #press(key: string): void {
    const now = performance.now();
    switch (key) {
      case 'q':
      case 'ctrl+c':
        this.#end(undefined);
        return;
      case 'ctrl+z':
        this.#held.suspend();
        return;
      case ' ':
        this.#isPaused = !this.#isPaused;
        this.#isStep = false;
        if (this.#isPaused) this.#clock.stop(now);
        else this.#clock.start(now);
        break;
      case '.':
        this.#isStep = this.#isPaused;
        break;
      case '+':
      case '=':
        this.#clock.setSpeed(speedBeside(this.#clock.speed, 'faster'), now);
        break;
      case '-':
        this.#clock.setSpeed(speedBeside(this.#clock.speed, 'slower'), now);
        break;
      default:
        return;
    }
    this.#wake();
  }
}
