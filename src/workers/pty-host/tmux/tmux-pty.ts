import { closeSync } from 'node:fs';
import { DomainError } from '../../../contract/errors.js';
import type { TmuxCapture } from '../../../contract/host-protocol.js';
import type { Libc } from '../pty/libc.js';
import type { ProgramEnd, PtyEvents, PtyPort } from '../pty/pty-port.js';
import type { ControlClient } from './control-client.js';
import type { Held, Holds } from './holds.js';
import { MarkedOutput } from './marked-output.js';
import { PaneSize } from './pane-size.js';
import { TmuxInput } from './tmux-input.js';
import type { Pane } from './window.js';

const TCOOFF = 0;
const TCOON = 1;

/** Maximum output of a held pane. As a rule, tmux has taken in 5 MB while it was not read, which still come. */
const MAX_HELD_BYTES = 16 * 1024 * 1024;

interface TmuxPtyDeps {
  libc: Pick<Libc, 'tcflow' | 'unreadInput' | 'hidesInput' | 'errno'>;
  holds: Holds;
  /** Runs commands of tmux; `done` is called at the place in the output where the answer stands. */
  run: ControlClient['run'];
  /** Ends the processes in the pane, and passes on no more of its output. */
  end(): void;
  pasteFlags: string;
  log(message: string): void;
  /** Called when the program runs; to take its terminal, call {@link TmuxPty.open} before this returns. */
  started(): void;
  /** Called when the window is gone before the program was known to run. */
  failed(): void;
}

/**
 * A terminal in a window of tmux. Its output comes from the server's client in control mode, which cannot be made to
 * wait (see {@link Holds}): in the end, a descriptor of the pane's PTY stops its writers, as Ctrl+S would. Output that
 * tmux has taken in by then still comes.
 */
export class TmuxPty implements PtyPort, Held {
  readonly answersQueries = true;
  readonly pane: Pane;
  readonly #deps: TmuxPtyDeps;
  readonly #fd: number;
  readonly #output: MarkedOutput;
  readonly #input: TmuxInput;
  #pid = 0;
  #events: PtyEvents | null = null;
  readonly size: PaneSize;
  #isHeld = false;
  #isStopped = false;
  /** Bytes that have come since the pane was held. */
  #sinceHold = 0;
  #closed = false;

  /**
   * @param fd - descriptor of the slave of the pane's PTY; it is closed with this terminal
   * @param nonce - number in the marks around the program's output
   */
  constructor(
    pane: Pane,
    { fd, nonce, size }: { fd: number; nonce: string; size: { cols: number; rows: number } },
    deps: TmuxPtyDeps,
  ) {
    this.pane = pane;
    this.#fd = fd;
    this.#deps = deps;
    this.size = new PaneSize({
      ...{ ...deps, pane: pane.pane, size },
      resized: ({ cols, rows }) => this.#events?.resized(cols, rows),
    });
    this.#output = new MarkedOutput(nonce, {
      started: (pid) => this.#started(pid),
      output: (bytes) => this.#events?.output(bytes),
      ended: (exitCode, signal) => this.#ended({ exitCode, signal }),
    });
    const { libc, pasteFlags, run } = deps;
    this.#input = new TmuxInput({
      ...{ libc, fd, pasteFlags, run, pane: pane.pane },
      written: () => this.#events?.written(),
      // The answer comes behind what the program has printed before.
      hungUp: () => deps.run(["display-message -p ''"], () => this.lost()),
    });
  }

  get pid(): number {
    return this.#pid;
  }

  get leader(): number {
    return this.pane.leader;
  }

  get written(): number {
    return this.#input.written;
  }

  get pendingInput(): number {
    return this.#input.pending;
  }

  get hiddenEnd(): number {
    return this.#input.hiddenEnd;
  }

  /** Whether the terminal has been taken with {@link TmuxPty.open}. */
  get isOpen(): boolean {
    return this.#events !== null;
  }

  open(events: PtyEvents): this {
    this.#events = events;
    return this;
  }

  /** Takes what the pane printed; the memory is lent. */
  received(bytes: Buffer): void {
    if (this.#closed) return;
    this.#output.push(bytes);
    this.update();
    if (this.#isHeld) this.#receivedHeld(bytes.length);
  }

  /**
   * Gives up a held terminal once too much has come: then its program undoes the stop, or a person has put another program
   * into the pane. Up to MAX_HELD_BYTES can be under way.
   */
  #receivedHeld(bytes: number): void {
    if (this.#closed) return;
    this.#sinceHold += bytes;
    if (this.#sinceHold <= MAX_HELD_BYTES) {
      // The program may have undone the stop. A failure was logged at the first stop.
      if (this.#isStopped) this.#deps.libc.tcflow(this.#fd, TCOOFF);
      return;
    }
    this.#deps.log(`pane ${this.pane.pane} does not stop printing where it must; its terminal is given up`);
    this.lost();
  }

  /** Ends the terminal, because the window or all of tmux is gone before the program's end was seen. */
  lost(): void {
    this.#ended(null);
  }

  update(): void {
    if (this.#closed || !this.#events) return;
    const hold = this.#events.allowance() <= 0;
    if (hold === this.#isHeld) return;
    this.#isHeld = hold;
    this.#sinceHold = 0;
    if (hold) this.#deps.holds.hold(this);
    else this.#deps.holds.release(this);
  }

  stop(): void {
    this.#isStopped = true;
    this.#flow(TCOOFF);
  }

  goOn(): void {
    this.#isStopped = false;
    this.#flow(TCOON);
  }

  write(bytes: Uint8Array): void {
    this.#input.write(bytes);
  }

  resize(cols: number, rows: number): void {
    this.size.resize({ cols, rows });
  }

  capture(scrollback: boolean): Promise<TmuxCapture | null> {
    const { pane } = this.pane;
    const rows = `capture-pane -p -e -N ${scrollback ? '-S - ' : ''}-t %${pane}`;
    const cursor = `display-message -p -t %${pane} '#{cursor_y} #{cursor_x}'`;
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        resolve(null);
        return;
      }
      // The rows come last: too many rows are a failure, behind which no other answer may come.
      this.#deps.run([cursor, rows], (answer) => {
        if (this.#closed) resolve(null);
        else if ('fault' in answer) reject(new DomainError('unavailable', `tmux: ${answer.fault}`));
        else resolve(captureOf(answer.lines));
      });
    });
  }

  async readAll(): Promise<boolean> {
    const command = `display-message -p -t %${this.pane.pane} ''`;
    // tmux may take the first command before it reads its panes. An answer comes behind all output that was read before it.
    const areAnswered = (await this.#answers(command)) && (await this.#answers(command));
    return this.#closed || (areAnswered && !this.#isHeld);
  }

  /** Resolves with whether tmux has answered without a fault. */
  #answers(command: string): Promise<boolean> {
    return new Promise((resolve) => this.#deps.run([command], (answer) => resolve(!('fault' in answer))));
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#deps.holds.forget(this);
    this.#input.close();
    this.size.close();
    closeSync(this.#fd);
    this.#deps.end();
  }

  #flow(action: number): void {
    const { libc, log } = this.#deps;
    if (libc.tcflow(this.#fd, action) === -1)
      log(`pane ${this.pane.pane}: tcflow failed with error ${libc.errno()}`);
  }

  #started(pid: number): void {
    this.#pid = pid;
    this.#deps.started();
  }

  #ended(how: ProgramEnd | null): void {
    if (this.#closed) return;
    if (!how) this.#output.flush();
    this.close();
    if (this.#events) this.#events.exited(how);
    else this.#deps.failed();
  }
}

function captureOf([[cursor = ''] = [], rows = []]: string[][]): TmuxCapture {
  const [row = 0, column = 0] = cursor.split(' ').map(Number);
  return { rows, cursor: [row, column] };
}
