import { mayBeHidden } from '../pty/hidden-input.js';
import type { Libc } from '../pty/libc.js';
import type { ControlClient } from './control-client.js';
import { quoted } from './words.js';

/** A terminal with at most this much unread input gets PIECE_BYTES more (the kernel keeps 4,095 bytes). */
const UNREAD_BYTES = 2048;
const PIECE_BYTES = 2048;

/** First and longest pause between two looks at how much the program has left unread. */
const FIRST_LOOK_MS = 1;
const MAX_LOOK_MS = 50;

interface InputDeps {
  libc: Pick<Libc, 'unreadInput' | 'hidesInput'>;
  /** Descriptor of the slave of the pane's PTY. */
  fd: number;
  pane: number;
  /** Flags that make `paste-buffer` leave control characters unchanged, where tmux needs them. */
  pasteFlags: string;
  run: ControlClient['run'];
  /** Called when `written` has grown. */
  written(): void;
  /** Called when the pane has closed its PTY, so that what is pasted would go to another program. */
  hungUp(): void;
}

/**
 * Types into a pane. tmux takes all input at once and keeps what the program does not read, without a bound and without
 * reporting it. So tmux gets little at a time, and the remainder waits here, where it is counted.
 */
export class TmuxInput {
  readonly #deps: InputDeps;
  readonly #queue: Buffer[] = [];
  #written = 0;
  #hiddenEnd = 0;
  #pending = 0;
  #timer: NodeJS.Timeout | undefined;
  #pause = FIRST_LOOK_MS;
  #underway = false;
  #closed = false;

  constructor(deps: InputDeps) {
    this.#deps = deps;
  }

  get #buffer(): string {
    return `-b pane-${this.#deps.pane}`;
  }

  get written(): number {
    return this.#written;
  }

  /** See {@link PtyPort.hiddenEnd}. */
  get hiddenEnd(): number {
    return this.#hiddenEnd;
  }

  get pending(): number {
    return this.#pending;
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.#closed) {
      this.#written += bytes.length;
      return;
    }
    // A copy: the caller's memory is only lent.
    this.#queue.push(Buffer.from(bytes));
    this.#pending += bytes.length;
    this.#advance();
  }

  /** Drops the input that has not been written. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#queue.length = 0;
    this.#written += this.#pending;
    this.#pending = 0;
  }

  #advance(): void {
    if (this.#closed || this.#underway || this.#timer || this.#queue.length === 0) return;
    const { libc, fd } = this.#deps;
    const unread = libc.unreadInput(fd);
    if (unread < 0) {
      this.#deps.hungUp();
      return;
    }
    if (unread > UNREAD_BYTES) {
      this.#timer = setTimeout(() => this.#onLook(), this.#pause);
      this.#pause = Math.min(MAX_LOOK_MS, this.#pause * 2);
      return;
    }
    this.#pause = FIRST_LOOK_MS;
    this.#give(this.#nextPiece());
  }

  #onLook(): void {
    this.#timer = undefined;
    this.#advance();
  }

  #give(piece: Buffer): void {
    this.#underway = true;
    const { libc, fd } = this.#deps;
    const wasHiding = libc.hidesInput(fd);
    this.#deps.run(this.#commandsFor(piece), (answer) => {
      this.#underway = false;
      // Typed text must not stay readable in a buffer of tmux.
      if ('fault' in answer) this.#deps.run([`delete-buffer ${this.#buffer}`], () => {});
      if (this.#closed) return;
      this.#pending -= piece.length;
      this.#written += piece.length;
      if (mayBeHidden(piece, wasHiding, () => libc.hidesInput(fd))) this.#hiddenEnd = this.#written;
      this.#deps.written();
      this.#advance();
    });
  }

  #nextPiece(): Buffer {
    const parts: Buffer[] = [];
    let room = PIECE_BYTES;
    for (let first = this.#queue.shift(); first; first = room > 0 ? this.#queue.shift() : undefined) {
      if (first.length > room) this.#queue.unshift(first.subarray(room));
      parts.push(first.subarray(0, room));
      room -= Math.min(room, first.length);
    }
    return Buffer.concat(parts);
  }

  /**
   * Returns commands that paste the piece, since a paste reaches the program even while a person who has joined scrolls
   * back. A NUL is sent as a key, because a paste cannot hold one.
   */
  #commandsFor(piece: Buffer): string[] {
    const { pane, pasteFlags } = this.#deps;
    const commands: string[] = [];
    for (let from = 0; from < piece.length; ) {
      const nul = piece.indexOf(0, from);
      const end = nul < 0 ? piece.length : nul;
      if (end > from) {
        commands.push(`set-buffer ${this.#buffer} -- ${quoted(piece.subarray(from, end))}`);
        commands.push(`paste-buffer -d -r ${pasteFlags} ${this.#buffer} -t %${pane}`);
      }
      if (nul >= 0) commands.push(`copy-mode -q -t %${pane}`, `send-keys -t %${pane} -H 00`);
      from = end + 1;
    }
    return commands;
  }
}
