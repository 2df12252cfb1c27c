import { DomainError } from '../../contract/errors.js';
import type { Capture, ExitStatus, OutputPage, Snapshot } from '../../contract/terminal.js';
import type { HostConnection } from '../pty-host/host-client.js';
import type { RestoreState, TerminalSink } from '../pty-host/terminal-sink.js';
import { deferred } from './deferred.js';
import type { InterestTable } from './interest.js';
import { OutputStream } from './output-stream.js';
import type { ParseLoop } from './parse-loop.js';
import type { OpenTerminal, OutputQuery } from './protocol.js';
import { readLines, readSince } from './reader.js';
import { ScreenKeeper } from './screen-keeper.js';
import type { StreamPort } from './stream-port.js';
import type { RecordingPlan, RecordingTotals } from './taps/recording-plan.js';
import { RecordingSlot } from './taps/recording-slot.js';

/** What a shard gives the terminals that live in it. */
export interface Home {
  host: HostConnection;
  loop: ParseLoop;
  interest: InterestTable;
  port: StreamPort;
  /** Lines of scrollback. */
  scrollback: number;
}

/** What exists once the pty host has said where the terminal stands. */
interface Body {
  keeper: ScreenKeeper;
  stream: OutputStream;
  /** Bytes of output known here. */
  received: number;
  /** As the pty host has told. */
  size: { cols: number; rows: number };
  /** Position up to which the pty host replays what it knew at the attach. */
  replayEnd: number;
  /** Position up to which another shard has streamed, and told of resizes. */
  streamedEnd: number;
}

interface Resize {
  cols: number;
  rows: number;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * One terminal. Its bytes go two ways: to those who watch at once, and through the keeper's mailbox to its
 * screen, together with all else that changes or questions the screen.
 */
export class TerminalActor implements TerminalSink {
  readonly #home: Home;
  readonly #id: string;
  readonly #handle: number;
  readonly #isNew: boolean;
  readonly #resizes: Resize[] = [];
  readonly #caughtUp = deferred<Body>();
  readonly #recording: RecordingSlot;
  #body: Body | undefined;
  #resyncing: Promise<void> | undefined;
  #exited = false;

  constructor(home: Home, terminal: OpenTerminal) {
    this.#home = home;
    this.#id = terminal.id;
    this.#handle = terminal.handle;
    this.#isNew = terminal.isNew;
    this.#recording = new RecordingSlot((end) =>
      home.port.post({ type: 'recorded', id: terminal.id, ...end }),
    );
    if (terminal.recording) this.#recording.resume(terminal.recording);
    home.host.attach(terminal.handle, this);
  }

  /** Resolves once the PTY has the size and output before it has been told apart from output after it. */
  async resize(cols: number, rows: number): Promise<void> {
    // A replay has resizes of its own, which answer nobody.
    const { size } = await this.#caughtUp.promise;
    if (this.#exited) throw new DomainError('terminal-not-found');
    if (this.#resizes.length === 0 && size.cols === cols && size.rows === rows) return;
    await new Promise<void>((resolve, reject) => {
      this.#resizes.push({ cols, rows, resolve, reject });
      this.#home.host.resize(this.#handle, cols, rows);
    });
  }

  async snapshot(): Promise<Snapshot> {
    const { keeper } = await this.#caughtUp.promise;
    return keeper.ask(({ screen }) => ({
      snapshot: screen.serialize({ scrollback: false }),
      rows: screen.rows,
      cols: screen.cols,
    }));
  }

  async capture(scrollback: boolean): Promise<Capture> {
    const { keeper } = await this.#caughtUp.promise;
    return keeper.ask(({ screen }) => {
      const rows = screen.styledRows({ scrollback });
      const { row, col } = screen.cursor();
      return {
        content: rows.join('\n'),
        line_count: rows.length,
        includes_scrollback: scrollback,
        cursor_position: this.#exited ? null : [row, col],
      };
    });
  }

  /** The printed lines of scrollback and screen, or with `since` what was printed after that cursor. */
  async read(query: OutputQuery): Promise<OutputPage> {
    const { keeper } = await this.#caughtUp.promise;
    return query.since === undefined ? readLines(keeper, query) : readSince(keeper, query.since, query);
  }

  /**
   * Posts the screen to those who missed output; their frames continue from exactly there. One at a time: who
   * joins missed what lies before the hold, so that the same screen is right for both.
   */
  resync(): Promise<void> {
    this.#resyncing ??= this.#resyncOnce().finally(() => {
      this.#resyncing = undefined;
    });
    return this.#resyncing;
  }

  /** Records from the present position on. */
  async record(plan: RecordingPlan): Promise<void> {
    const { received: position, size, stream } = await this.#caughtUp.promise;
    if (this.#exited) throw new DomainError('terminal-not-found');
    this.#recording.start(plan, { terminalId: this.#id, position, size, unfinished: stream.unfinished });
  }

  typed(texts: string[]): void {
    this.#recording.typed(texts);
  }

  /** Not before what was printed by now is recorded. */
  async stopRecording(): Promise<RecordingTotals> {
    await this.#caughtUp.promise;
    return this.#recording.stop();
  }

  close(): void {
    const error = new DomainError('terminal-not-found');
    this.#home.host.detach(this.#handle);
    this.#caughtUp.reject(error);
    this.#rejectResizes(error);
    this.#recording.close();
    this.#body?.stream.close();
    this.#body?.keeper.close(error);
  }

  restore(state: RestoreState): void {
    const { host, interest, loop, port, scrollback } = this.#home;
    const [id, handle] = [this.#id, this.#handle];
    const stream = new OutputStream({ id, position: state.position, port, watched: () => interest.of(id) });
    const keeper = new ScreenKeeper(
      {
        loop,
        scrollback,
        reply: (data) => host.input(handle, Buffer.from(data, 'utf8')),
        confirm: (position) => host.confirm(handle, position),
        save: (checkpoint) => {
          // The host forgets what lies before: by then it must be in the file.
          this.#recording.flush();
          host.checkpoint(handle, checkpoint);
        },
        fault: (error) => port.post({ type: 'fault', id, error: describe(error) }),
      },
      state,
    );
    const size = { cols: state.cols, rows: state.rows };
    const streamedEnd = this.#isNew ? 0 : state.end;
    this.#body = {
      ...{ keeper, stream, size, streamedEnd },
      received: state.position,
      replayEnd: state.end,
    };
    this.#checkCaughtUp(this.#body);
  }

  output(bytes: Uint8Array): void {
    const body = this.#known();
    const streamed = Math.min(bytes.length, Math.max(0, body.streamedEnd - body.received));
    body.received += bytes.length;
    if (streamed > 0) body.stream.skip(bytes.subarray(0, streamed));
    if (streamed < bytes.length) body.stream.write(bytes.subarray(streamed));
    this.#recording.output(bytes, body.received);
    body.keeper.write(bytes);
    this.#checkCaughtUp(body);
  }

  resized(cols: number, rows: number): void {
    const { stream, keeper, received, size, streamedEnd } = this.#known();
    Object.assign(size, { cols, rows });
    if (received >= streamedEnd) stream.event({ type: 'resized', id: this.#id, cols, rows });
    keeper.resized(cols, rows);
    this.#recording.resized(cols, rows, received);
    // By size, not by turn: the pty host joins resizes between which nothing was printed.
    const answered = this.#resizes.findLastIndex((resize) => resize.cols === cols && resize.rows === rows);
    for (const { resolve } of this.#resizes.splice(0, answered + 1)) resolve();
  }

  checkpointWanted(): void {
    this.#known().keeper.save();
  }

  exited(exit: ExitStatus): void {
    const { stream, keeper } = this.#known();
    this.#exited = true;
    this.#rejectResizes(new DomainError('terminal-not-found'));
    stream.end({ type: 'exited', id: this.#id, exit });
    keeper.end();
  }

  async #resyncOnce(): Promise<void> {
    const { keeper, stream } = await this.#caughtUp.promise;
    stream.hold();
    try {
      const own = true;
      await keeper.ask(
        ({ screen }) => stream.resync(screen.serialize({ scrollback: false }), screen.pending()),
        own,
      );
    } finally {
      stream.release();
    }
  }

  /** The pty host speaks of a terminal only after it has restored it. */
  #known(): Body {
    if (!this.#body) throw new Error(`pty host spoke of ${this.#id} before restoring it`);
    return this.#body;
  }

  #checkCaughtUp(body: Body): void {
    if (body.received >= body.replayEnd) this.#caughtUp.resolve(body);
  }

  #rejectResizes(reason: Error): void {
    for (const { reject } of this.#resizes.splice(0)) reject(reason);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
