import { DomainError } from '../../contract/errors.js';
import type { Capture, ExitStatus, OutputPage, Snapshot } from '../../contract/terminal.js';
import type { RestoreState, TerminalSink } from '../pty-host/terminal-sink.js';
import { deferred } from './deferred.js';
import type { Home } from './home.js';
import { OutputStream } from './output-stream.js';
import { PendingResizes } from './pending-resizes.js';
import type { OpenTerminal, OutputQuery } from './protocol.js';
import { readLines, readSince } from './reader.js';
import { captureOf, snapshotOf } from './screen-answers.js';
import { ScreenKeeper } from './screen-keeper.js';
import type { RecordingPlan, RecordingTotals } from './taps/recording-plan.js';
import { RecordingSlot } from './taps/recording-slot.js';
import { SearchFeed } from './taps/search-feed.js';

/** What exists once the pty host has said where the terminal stands. */
interface Body {
  keeper: ScreenKeeper;
  stream: OutputStream;
  /** Undefined for one that is not indexed. */
  feed: SearchFeed | undefined;
  /** Bytes of output known here. */
  received: number;
  /** As the pty host has told. */
  size: { cols: number; rows: number };
  /** Position up to which the pty host replays what it knew at the attach. */
  replayEnd: number;
  /** Position up to which another shard has streamed, and told of resizes. */
  streamedEnd: number;
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
  readonly #index: OpenTerminal['index'];
  readonly #resizes = new PendingResizes();
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
    this.#index = terminal.index;
    this.#recording = new RecordingSlot({
      onEnded: (end) => home.port.post({ type: 'recorded', id: terminal.id, ...end }),
      written: home.recordings,
    });
    if (terminal.recording) this.#recording.resume(terminal.recording);
    home.host.attach(terminal.handle, this);
  }

  /** Bytes of output that the screen has not seen yet. */
  get waitingBytes(): number {
    return this.#body?.keeper.waitingBytes ?? 0;
  }

  /** Resolves once the PTY has the size and output before it has been told apart from output after it. */
  async resize(cols: number, rows: number): Promise<void> {
    // A replay has resizes of its own, which answer nobody.
    const { size } = await this.#caughtUp.promise;
    if (this.#exited) throw new DomainError('terminal-not-found');
    if (this.#resizes.isEmpty && size.cols === cols && size.rows === rows) return;
    this.#home.host.resize(this.#handle, cols, rows);
    await this.#resizes.wait(cols, rows);
  }

  async snapshot(): Promise<Snapshot> {
    const { keeper } = await this.#caughtUp.promise;
    return keeper.ask(({ screen }) => snapshotOf(screen));
  }

  async capture(scrollback: boolean): Promise<Capture> {
    const { keeper } = await this.#caughtUp.promise;
    return keeper.ask(({ screen }) => captureOf(screen, { scrollback, exited: this.#exited }));
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
    const { received: position, size } = await this.#caughtUp.promise;
    if (this.#exited) throw new DomainError('terminal-not-found');
    this.#recording.start(plan, { terminalId: this.#id, position, size });
  }

  typed(texts: string[], at: number): void {
    this.#recording.typed(texts, at);
  }

  /** Not before what was printed by now is recorded. */
  async stopRecording(): Promise<RecordingTotals> {
    await this.#caughtUp.promise;
    return this.#recording.stop();
  }

  /** Feeds what has been printed by now to the search index. Resolves once it is posted. */
  async settleFeed(): Promise<void> {
    await (await this.#body?.feed?.settle())?.posted;
  }

  /** What has been printed is fed first. Resolves once that is posted. */
  async close(): Promise<void> {
    const error = new DomainError('terminal-not-found');
    this.#home.host.detach(this.#handle);
    this.#caughtUp.reject(error);
    this.#resizes.reject(error);
    this.#recording.close();
    this.#body?.stream.close();
    const fed = await this.#body?.feed?.settle();
    this.#body?.keeper.close(error);
    await fed?.posted;
  }

  restore(state: RestoreState): void {
    const { host, interest, loop, port, renderer, scrollback } = this.#home;
    const [id, handle] = [this.#id, this.#handle];
    const stream = new OutputStream({ id, position: state.position, port, watched: () => interest.of(id) });
    const fault = (error: unknown) => port.post({ type: 'fault', id, error: describe(error) });
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
        fault,
      },
      state,
    );
    const feed =
      this.#index && new SearchFeed({ id, keeper, renderer, port, fault }, state, this.#index.cursor);
    const size = { cols: state.cols, rows: state.rows };
    const streamedEnd = this.#isNew ? 0 : state.end;
    this.#body = {
      ...{ keeper, stream, feed, size, streamedEnd },
      received: state.position,
      replayEnd: state.end,
    };
    this.#checkCaughtUp(this.#body);
  }

  output(bytes: Uint8Array): void {
    const body = this.#known();
    const streamed = Math.min(bytes.length, Math.max(0, body.streamedEnd - body.received));
    body.received += bytes.length;
    this.#home.counters.outputBytes += bytes.length - streamed;
    if (streamed > 0) body.stream.skip(bytes.subarray(0, streamed));
    if (streamed < bytes.length) body.stream.write(bytes.subarray(streamed));
    this.#recording.output(bytes, body.received);
    (body.feed ?? body.keeper).write(bytes);
    this.#checkCaughtUp(body);
  }

  resized(cols: number, rows: number): void {
    const { stream, keeper, feed, received, size, streamedEnd } = this.#known();
    Object.assign(size, { cols, rows });
    if (received >= streamedEnd) stream.event({ type: 'resized', id: this.#id, cols, rows });
    keeper.resized(cols, rows);
    feed?.resized(cols, rows);
    this.#recording.resized(cols, rows, received);
    this.#resizes.resized(cols, rows);
  }

  checkpointWanted(): void {
    this.#known().keeper.save();
  }

  exited(exit: ExitStatus): void {
    const { stream, keeper, feed } = this.#known();
    this.#exited = true;
    this.#recording.exited(exit.exitedAt);
    this.#resizes.reject(new DomainError('terminal-not-found'));
    stream.end({ type: 'exited', id: this.#id, exit });
    void feed?.settle();
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
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
