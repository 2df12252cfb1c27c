import { DomainError } from '../../contract/errors.js';
import type { Capture, ExitStatus, Snapshot } from '../../contract/terminal.js';
import type { RestoreState, TerminalSink } from '../pty-host/terminal-sink.js';
import { deferred } from './deferred.js';
import type { Home } from './home.js';
import { PendingResizes } from './pending-resizes.js';
import type {
  Awaited,
  Look,
  Met,
  OpenTerminal,
  OutputQuery,
  PrintedSince,
  ReadPage,
  StretchQuery,
  StretchText,
  TypedText,
  WrittenText,
} from './protocol.js';
import { readChange, readLines, readSince } from './reader.js';
import { captureSteps, lookOf, snapshotSteps } from './screen-answers.js';
import type { ScreenView } from './screen-view.js';
import { readStretch } from './stretch.js';
import { RecordedInput } from './taps/recorded-input.js';
import type { RecordingPlan, RecordingTotals } from './taps/recording-plan.js';
import { RecordingSlot } from './taps/recording-slot.js';
import { type Body, newBody } from './terminal-body.js';
import { Waits } from './waits/waits.js';

/**
 * One terminal. Its bytes go two ways: to those who watch at once, and through the keeper's mailbox to its
 * screen, together with all else that changes or questions the screen.
 */
export class TerminalActor implements TerminalSink {
  readonly #home: Home;
  readonly #terminal: OpenTerminal;
  readonly #resizes = new PendingResizes();
  readonly #caughtUp = deferred<Body>();
  readonly #recording: RecordingSlot;
  readonly #input: RecordedInput;
  readonly #waits = new Waits();
  #body: Body | undefined;
  #resyncing: Promise<void> | undefined;
  #exited = false;
  #isClosed = false;

  constructor(home: Home, terminal: OpenTerminal) {
    this.#home = home;
    this.#terminal = terminal;
    this.#recording = new RecordingSlot({
      onEnded: (end) => home.port.post({ type: 'recorded', id: terminal.id, ...end }),
      written: home.recordings,
    });
    this.#input = new RecordedInput(this.#recording, (typed) => this.isShown(typed));
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
    this.#home.host.resize(this.#terminal.handle, cols, rows);
    await this.#resizes.wait(cols, rows);
  }

  /** Its `seq` is the end of a frame for those who watch. */
  async snapshot(): Promise<Snapshot> {
    const { keeper, stream, secret } = await this.#caughtUp.promise;
    stream.endFrame();
    return keeper.askSteps((view) => snapshotSteps(view, secret), { own: false, need: 'shown' });
  }

  async capture(scrollback: boolean): Promise<Capture> {
    const capture = ({ screen }: ScreenView) => captureSteps(screen, { scrollback, exited: this.#exited });
    const need = scrollback ? 'screen' : 'shown';
    return (await this.#caughtUp.promise).keeper.askSteps(capture, { own: false, need });
  }

  /** The printed lines of scrollback and screen, or with `since` what was printed after that cursor. */
  async read(query: OutputQuery): Promise<ReadPage> {
    const body = await this.#caughtUp.promise;
    return query.since === undefined ? readLines(body.keeper, query) : readSince(body, query.since, query);
  }

  async stretch(query: StretchQuery): Promise<StretchText> {
    return readStretch(await this.#caughtUp.promise, query);
  }

  async look(): Promise<Look> {
    const body = await this.#caughtUp.promise;
    return body.keeper.ask((view) => lookOf(view, body.wroteAt));
  }

  /** Undefined when nothing was printed since `cursor`. */
  async printedSince(cursor: string | null, maxBytes: number): Promise<PrintedSince | undefined> {
    const change = await readChange(await this.#caughtUp.promise, cursor, maxBytes);
    return change && { id: this.#terminal.id, ...change };
  }

  until(wait: number, awaited: Awaited): Promise<Met> {
    return this.#waits.add(wait, awaited);
  }

  cancel(wait: number): void {
    this.#waits.cancel(wait);
  }

  /** Not before what was printed earlier has been gone through without the token. */
  async expectMarks(token: string): Promise<void> {
    (await this.#caughtUp.promise).tracker.expect(token);
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
    this.#recording.start(plan, { terminalId: this.#terminal.id, position, size });
  }

  typed(typed: WrittenText): void {
    this.#input.typed(typed);
  }

  isShown(typed: TypedText): Promise<boolean> {
    return this.#caughtUp.promise.then(({ shown }) => shown.isShown(typed));
  }

  /** Not before what was printed and typed by now is recorded. */
  async stopRecording(): Promise<RecordingTotals> {
    await this.#input.settle(await this.#caughtUp.promise);
    return this.#recording.stop();
  }

  /** Feeds what has been printed by now to the search index. Resolves once it is posted. */
  async settleFeed(): Promise<void> {
    await (await this.#body?.feed?.settle())?.posted;
  }

  /** What has been printed is fed first. Resolves once that is posted. */
  async close(): Promise<void> {
    const error = new DomainError('terminal-not-found');
    this.#home.host.detach(this.#terminal.handle);
    this.#caughtUp.reject(error);
    this.#resizes.reject(error);
    this.#waits.close(error);
    this.#isClosed = true;
    this.#body?.stream.close();
    await this.#input.settle(this.#body);
    this.#recording.close();
    const fed = await this.#body?.feed?.settle();
    this.#body?.keeper.close(error);
    await fed?.posted;
  }

  restore(state: RestoreState): void {
    // The host forgets what lies before a checkpoint: by then it must be in the file.
    this.#body = newBody(this.#home, this.#terminal, state, () => this.#recording.flush());
    this.#checkCaughtUp(this.#body);
  }

  output(bytes: Uint8Array): void {
    const body = this.#known();
    const streamed = Math.min(bytes.length, Math.max(0, body.streamedEnd - body.received));
    body.received += bytes.length;
    this.#home.memory.read(bytes.length);
    this.#home.counters.outputBytes += bytes.length - streamed;
    const shown = body.cover.cover(bytes);
    if (streamed > 0) body.stream.skip(shown.subarray(0, streamed));
    if (streamed < shown.length) body.stream.write(shown.subarray(streamed));
    this.#recording.output(shown, body.received);
    body.tracker.write(bytes);
    body.wroteAt = performance.now();
    body.shown.output();
    if (!this.#waits.isEmpty) this.#waits.output(bytes);
    this.#checkCaughtUp(body);
  }

  resized(cols: number, rows: number): void {
    const { stream, keeper, feed, received, size, streamedEnd } = this.#known();
    Object.assign(size, { cols, rows });
    if (received >= streamedEnd) stream.event({ type: 'resized', id: this.#terminal.id, cols, rows });
    keeper.resized(cols, rows);
    feed?.resized(cols, rows);
    this.#recording.resized(cols, rows, received);
    this.#resizes.resized(cols, rows);
  }

  checkpointWanted(): void {
    this.#known().keeper.save();
  }

  exited(exit: ExitStatus): void {
    const { stream, tracker, feed, keeper, shown } = this.#known();
    this.#exited = true;
    this.#recording.exited(exit.exitedAt);
    this.#resizes.reject(new DomainError('terminal-not-found'));
    const tell = () => {
      if (!this.#isClosed) stream.end({ type: 'exited', id: this.#terminal.id, exit });
    };
    // Not before what its shells have told of it.
    void (tracker.exited(exit.exitCode)?.then(tell) ?? tell());
    this.#waits.exited();
    void shown.settle();
    void feed?.settle();
    keeper.end();
  }

  async #resyncOnce(): Promise<void> {
    const { keeper, stream, secret } = await this.#caughtUp.promise;
    stream.hold();
    try {
      const asking = { own: true, need: 'shown' } as const;
      const { snapshot, pending } = await keeper.askSteps((view) => snapshotSteps(view, secret), asking);
      stream.resync(snapshot, Buffer.from(pending));
    } finally {
      stream.release();
    }
  }

  /** The pty host speaks of a terminal only after it has restored it. */
  #known(): Body {
    if (!this.#body) throw new Error(`pty host spoke of ${this.#terminal.id} before restoring it`);
    return this.#body;
  }

  #checkCaughtUp(body: Body): void {
    if (body.received < body.replayEnd) return;
    this.#caughtUp.resolve(body);
    this.#waits.begin(body);
  }
}
