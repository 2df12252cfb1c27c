import { DomainError } from '../../contract/errors.js';
import type { HostTerminal, ReadUpTo, TmuxCapture } from '../../contract/host-protocol.js';
import { MAX_UNCONFIRMED_BYTES } from '../../contract/limits.js';
import type { ExitStatus } from '../../contract/terminal.js';
import type { Spill } from '../kept.js';
import type { EarlierTerminal, KeptTerminal } from './earlier-terminal.js';
import { type NewLimits, SessionRecord, type SessionRecordDeps } from './ledger/session-record.js';
import { Attachment, type StreamSink, type StreamSource } from './log/attachment.js';
import { AwaitedOutput } from './log/awaited-output.js';
import type { SpareSlabs } from './log/byte-queue.js';
import { CheckpointAsking } from './log/checkpoint-asking.js';
import type { Budgeted, LogBudget } from './log/log-budget.js';
import { type Checkpoint, TerminalLog } from './log/terminal-log.js';
import { exitStatusOf } from './pty/exit-status.js';
import { InputQueue } from './pty/input-queue.js';
import type { OpenPty, ProgramEnd, PtyPort } from './pty/pty-port.js';
import type { PtySpec } from './pty/starter.js';
import type { TypedPart, Written } from './wire/typing.js';

/** A program to start, with the id and meta that the service gave it. */
export type HostedSpec = PtySpec & { id: string; meta: string; limited?: NewLimits | null };

export interface TerminalDeps extends SessionRecordDeps {
  openPty: OpenPty;
  budget: LogBudget;
  spare: SpareSlabs;
  /** Stores the checkpoints of terminals. */
  checkpoints: Spill;
  log(message: string): void;
  startedAt(pid: number): string | null;
}

/** One terminal: its PTY, the log of its output, and its reader. */
export class HostedTerminal implements StreamSource, Budgeted {
  readonly handle: number;
  readonly id: string;
  readonly log: TerminalLog;
  readonly #deps: TerminalDeps;
  readonly #pty: PtyPort;
  readonly #input: InputQueue;
  readonly record: SessionRecord;
  /** After a change, `record.write` must be called. */
  meta: string;
  #size: { cols: number; rows: number };
  #attachment: Attachment | null = null;
  #confirmed: number;
  #exit: ExitStatus | null = null;
  #closed = false;
  readonly #awaited = new AwaitedOutput();
  readonly #asking = new CheckpointAsking();

  /** Throws when the program cannot be started. `earlier`: the program was started before. */
  constructor(handle: number, request: HostedSpec, deps: TerminalDeps, earlier?: EarlierTerminal) {
    this.handle = handle;
    this.id = request.id;
    this.meta = request.meta;
    this.#deps = deps;
    this.#size = { cols: request.cols, rows: request.rows };
    this.log = new TerminalLog(request.cols, request.rows, {
      ...deps,
      ...(earlier && { earlier: earlier.log }),
    });
    this.#confirmed = earlier?.confirmed ?? 0;
    this.#pty = deps.openPty(request, {
      allowance: () => this.#allowance(),
      output: (bytes) => this.#output(bytes),
      written: () => this.#input.advance(),
      resized: (cols, rows) => this.#resized(cols, rows),
      exited: (how) => this.#exited(how),
    });
    this.#input = new InputQueue(this.#pty);
    const { leader } = this.#pty;
    const session = earlier?.session ?? { leader, startedAt: deps.startedAt(leader) };
    this.record = new SessionRecord(session, () => this.describe(), deps, {
      left: earlier,
      limits: request.limited,
    });
    this.#exit = earlier?.exit ?? null;
    deps.budget.join(this);
    deps.budget.changed(this.log.size);
    if (this.#exit) this.record.end();
    else this.record.write();
    if (earlier) this.#input.push(earlier.input);
    this.#pty.update();
  }

  get pid(): number {
    return this.#pty.pid;
  }

  get confirmed(): number {
    return this.#confirmed;
  }

  get exit(): ExitStatus | null {
    return this.#exit;
  }

  describe(): HostTerminal {
    const { handle, id, pid, meta, exit } = this;
    const { position } = this.log;
    const pendingInput = this.#input.pending;
    return { handle, id, pid, ...this.#size, meta, position, pendingInput, exit, ...this.record.held };
  }

  /** Returns the state for a renewed host, in views that are lent until the next change; null if it could not go on. */
  keep(): KeptTerminal | null {
    const { handle, id, meta, pid, exit, confirmed } = this;
    const pty = this.#pty.keep?.() ?? null;
    const session = this.record.keep();
    const described = { handle, id, meta, pid, exit, confirmed, ...this.#size, session };
    return pty && { ...described, pty, log: this.log.keep(), input: this.#input.keep() };
  }

  attach(sink: StreamSink, token: number): void {
    this.#attachment?.end();
    this.#attachment = new Attachment(this, sink, token);
    this.#asking.restart();
    this.limitChanged();
  }

  detach(sink: StreamSink): void {
    if (this.#attachment?.sink === sink) this.#attachment.detach();
  }

  detached(attachment: Attachment): void {
    if (this.#attachment !== attachment) return;
    this.#attachment = null;
    this.#pty.update();
  }

  /** Types the parts; throws `input-buffer-full`, or `terminal-not-found` when the program has ended. */
  type(parts: readonly TypedPart[], onWritten: (written: Written) => void): void {
    if (this.#exit) throw new DomainError('terminal-not-found');
    this.#awaited.typed(this.#attachment);
    // Input behind other input is written after the program has read the earlier input, perhaps at another prompt. So its
    // position is taken when it is written.
    const begin = this.#input.pending === 0 ? this.log.position : undefined;
    this.#input.push(parts, (isHidden) => onWritten({ isHidden, position: begin ?? this.log.position }));
  }

  /** Types the screen's answer to a query of the program, unless the terminal answers queries itself. */
  reply(bytes: Uint8Array): void {
    if (!this.#pty.answersQueries) this.#input.reply(bytes);
  }

  /** Resizes the terminal; an ended terminal keeps its size. */
  resize(cols: number, rows: number): void {
    if (this.#exit || this.#closed) return;
    this.#pty.resize(cols, rows);
  }

  /** See {@link PtyPort.capture}; also null once the program has ended. */
  async capture(scrollback: boolean): Promise<TmuxCapture | null> {
    return this.#exit || this.#closed ? null : this.#pty.capture(scrollback);
  }

  /** Reads all that the terminal's programs have printed before the call. */
  async readAll(): Promise<ReadUpTo> {
    const isWhole = await this.#pty.readAll();
    this.#attachment?.hurry();
    return { position: this.log.position, isWhole };
  }

  confirm(sink: StreamSink, position: number): void {
    const reader = this.#readerAt(sink, position, 'confirm');
    if (!reader || position <= this.#confirmed) return;
    this.#confirmed = position;
    this.#askForCheckpoint();
    this.#pty.update();
  }

  checkpoint(sink: StreamSink, next: Checkpoint): void {
    if (!this.#readerAt(sink, next.position, 'checkpoint')) return;
    const before = this.log.size;
    // A copy, since a view would retain the whole memory of the frame.
    if (!this.log.setCheckpoint({ ...next, bytes: new Uint8Array(next.bytes) })) {
      this.#deps.log(`terminal ${this.handle}: ignored an outdated checkpoint at ${next.position}`);
      return;
    }
    this.#deps.budget.changed(this.log.size - before);
    this.#askForCheckpoint();
    this.#pty.update();
  }

  takeCheckpointWanted(): boolean {
    return this.#asking.take();
  }

  limitChanged(): void {
    this.#askForCheckpoint();
    this.#pty.update();
  }

  /** Frees everything, and ends the processes unless the program has ended before. */
  close(): void {
    this.#closed = true;
    this.#input.stop();
    this.#pty.close();
    this.#attachment?.end();
    this.#attachment = null;
    this.#deps.budget.leave(this);
    const freed = this.log.size;
    this.log.clear();
    this.#deps.budget.changed(-freed);
    // The processes must be ended even though closing the PTY may have signalled them.
    this.record.unlist();
  }

  #allowance(): number {
    const { position, size } = this.log;
    const room = this.#deps.budget.limit - size;
    return this.#attachment ? Math.min(room, MAX_UNCONFIRMED_BYTES - (position - this.#confirmed)) : room;
  }

  #output(bytes: Buffer): void {
    this.log.append(bytes);
    this.#deps.budget.changed(bytes.length);
    this.#askForCheckpoint();
    if (this.#attachment) this.#awaited.printed(this.#attachment, this.log.position);
  }

  #resized(cols: number, rows: number): void {
    this.#size = { cols, rows };
    this.log.resize(cols, rows);
    this.#attachment?.wake();
  }

  #askForCheckpoint(): void {
    if (!this.#attachment) return;
    if (this.#asking.look(this.log, this.#deps.budget.limit, this.#confirmed)) this.#attachment.wake();
  }

  #exited(how: ProgramEnd | null): void {
    this.#input.stop();
    this.#exit = { ...exitStatusOf(how), ...this.record.outcome() };
    this.#attachment?.wake();
    if (how) this.record.release();
    else this.record.end();
  }

  /** Returns the attachment of `sink`, if it is the current reader and has been sent the output up to `position`. */
  #readerAt(sink: StreamSink, position: number, what: string): Attachment | null {
    const reader = this.#attachment;
    if (reader?.sink !== sink) return null;
    if (position <= reader.sent) return reader;
    this.#deps.log(`terminal ${this.handle}: ignored ${what} at ${position}, beyond the output sent`);
    return null;
  }
}
