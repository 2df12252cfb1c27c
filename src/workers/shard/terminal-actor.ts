import { DomainError } from '../../contract/errors.js';
import type { ExitStatus } from '../../contract/terminal.js';
import { hrMs } from '../clock.js';
import type { RestoreState, TerminalSink } from '../pty-host/client/terminal-sink.js';
import {
  type AttachedTerminal,
  eventsPosted,
  newAttachedTerminal,
  refuseIfExited,
} from './attached-terminal.js';
import { CatchingUp } from './catching-up.js';
import { PendingResizes } from './pending-resizes.js';
import type { Awaited, Met, OpenTerminal, PrintedSince, TypedText, WrittenText } from './protocol.js';
import { readChange } from './reader.js';
import { Resyncs } from './resyncs.js';
import type { ShardContext } from './shard-context.js';
import { Signs } from './signs.js';
import { RecordedInput } from './stages/recorded-input.js';
import type { RecordingPlan, RecordingTotals } from './stages/recording-plan.js';
import { RecordingSlot } from './stages/recording-slot.js';
import type { TapFrom } from './taps/tap-api.js';
import { Taps } from './taps/taps.js';
import { OutputWaits } from './waits/output-waits.js';

/**
 * One terminal. Its output goes two ways: to watching clients at once, and through the screen actor's mailbox to the
 * screen, in order with everything else that changes or queries the screen.
 */
export class TerminalActor implements TerminalSink {
  readonly #context: ShardContext;
  readonly #terminal: OpenTerminal;
  readonly #resizes = new PendingResizes();
  readonly #catchingUp = new CatchingUp();
  readonly #resyncs = new Resyncs(() => this.#catchingUp.forCalls);
  readonly recording: RecordingSlot;
  readonly #input: RecordedInput;
  readonly #waits = new OutputWaits();
  /** Readers of the raw output. */
  readonly taps: Taps;
  #attached: AttachedTerminal | undefined;
  #isClosed = false;
  readonly #signs: Signs;

  constructor(context: ShardContext, terminal: OpenTerminal) {
    this.#context = context;
    this.#terminal = terminal;
    this.recording = new RecordingSlot({
      onEnded: (end) => context.port.post({ type: 'recorded', id: terminal.id, ...end }),
      written: context.recordings,
    });
    this.#signs = new Signs(context, terminal.id);
    this.#input = new RecordedInput(this.recording, (typed) => this.isShown(typed));
    const { handle, isHeld = false } = terminal;
    this.taps = new Taps({ confirm: (position) => context.host.confirm(handle, position), isHeld });
    if (terminal.recording) this.recording.resume(terminal.recording);
    context.host.attach(handle, this);
  }

  /** The parts of the terminal; undefined before the pty host has sent its state. */
  get attached(): AttachedTerminal | undefined {
    return this.#attached;
  }

  /** Resolves once the pty host reports the size, at its place in the output. Throws `terminal-not-found`. */
  async resize(cols: number, rows: number): Promise<void> {
    // Wait for the end of the replay: its resizes must not settle this call.
    const attached = await this.#catchingUp.forCalls;
    await refuseIfExited(attached);
    const { size, stream } = attached;
    if (this.#resizes.isEmpty && size.cols === cols && size.rows === rows) return;
    this.#context.host.resize(this.#terminal.handle, cols, rows);
    await this.#resizes.wait(cols, rows);
    await stream.posted;
  }

  /** Asks the terminal once it has caught up. The answer comes after the events of all output that it covers. */
  async ask<Answer>(question: (attached: AttachedTerminal) => Promise<Answer>): Promise<Answer> {
    const attached = await this.#catchingUp.forCalls;
    const answer = await question(attached);
    await eventsPosted(attached);
    return answer;
  }

  /** Resolves with undefined if nothing was printed since `cursor`. */
  async printedSince(cursor: string | null, maxBytes: number): Promise<PrintedSince | undefined> {
    const change = await this.ask((attached) => readChange(attached, cursor, maxBytes));
    return change && { id: this.#terminal.id, ...change };
  }

  until(wait: number, awaited: Awaited): Promise<Met> {
    return this.#waits.add(wait, awaited);
  }

  cancel(wait: number): void {
    this.#waits.cancel(wait);
  }

  /** Accepts marks with this token only after the replay, so that earlier output is scanned without the token. */
  async expectMarks(token: string): Promise<void> {
    (await this.#catchingUp.forCalls).tracker.expect(token);
  }

  /** See {@link Resyncs.post}. */
  resync(): Promise<void> {
    return this.#resyncs.post();
  }

  /** Records from the present position on. Throws `terminal-not-found`, `already-recorded`, and file errors. */
  async record(plan: RecordingPlan): Promise<void> {
    const attached = await this.#catchingUp.forCalls;
    await refuseIfExited(attached);
    const { received: position, size } = attached;
    this.recording.start(plan, { terminalId: this.#terminal.id, position, size });
  }

  /** Adds a reader of the raw output. Throws `output-gone`. */
  async tap(reader: number, from: TapFrom): Promise<void> {
    await this.taps.open(reader, from, await this.#catchingUp.forCalls);
  }

  typed(typed: WrittenText): void {
    this.#input.typed(typed);
  }

  isShown(typed: TypedText): Promise<boolean> {
    return this.#catchingUp.atEnd.then(({ shown }) => shown.isShown(typed));
  }

  /** Records everything printed and typed so far, then ends the recording. */
  async stopRecording(): Promise<RecordingTotals> {
    await this.#input.settle(await this.#catchingUp.forCalls);
    return this.recording.stop();
  }

  /** Feeds everything printed so far to the search index. Resolves once it is posted. */
  async settleFeed(): Promise<void> {
    await (await this.#attached?.feed?.settle())?.posted;
  }

  /**
   * Rejects the calls that wait for the terminal, and takes in what was printed before the shard attached. Resolves once
   * the pty host may forget the terminal, in a bounded time: with false if some of that output has not come.
   */
  async leave(): Promise<boolean> {
    const error = new DomainError('terminal-not-found');
    this.#isClosed = true;
    this.#resizes.reject(error);
    this.#waits.close(error);
    this.taps.closeAll(error);
    const isWhole = await this.#catchingUp.close(error);
    this.#context.host.detach(this.#terminal.handle);
    return isWhole;
  }

  /**
   * Ends the recording and feeds the output to the search index; call this after {@link leave}, with its result. Resolves
   * once the output is posted.
   */
  async close(isWhole: boolean): Promise<void> {
    this.#signs.close();
    this.#attached?.stream.close();
    await this.#input.settle(this.#attached);
    this.recording.close(isWhole);
    const fed = await this.#attached?.feed?.settle();
    this.#attached?.screenActor.close(new DomainError('terminal-not-found'));
    await fed?.posted;
  }

  restore(state: RestoreState): void {
    // The pty host forgets output before a checkpoint, so the recording's file must have it first.
    this.#attached = newAttachedTerminal(this.#context, this.#terminal, state, {
      beforeSave: (checkpoint) => this.recording.beforeSave(checkpoint),
      confirm: (position) => this.taps.confirm(position),
    });
    this.#signs.restored(state.bytes, this.#attached);
    this.#checkCaughtUp(this.#attached);
  }

  output(bytes: Uint8Array): void {
    const attached = this.#known();
    const streamed = Math.min(bytes.length, Math.max(0, attached.streamedEnd - attached.received));
    attached.received += bytes.length;
    this.#context.memory.read(bytes.length);
    this.#context.counters.outputBytes += bytes.length - streamed;
    const shown = attached.cover.cover(bytes);
    if (streamed > 0) attached.stream.skip(shown.subarray(0, streamed));
    if (streamed < shown.length) attached.stream.write(shown.subarray(streamed));
    this.recording.output(shown, attached.received);
    this.taps.output(shown);
    attached.tracker.write(bytes);
    attached.printedAt = hrMs();
    this.#signs.output(shown, streamed, attached.received);
    attached.shown.output();
    if (!this.#waits.isEmpty) this.#waits.output(bytes);
    this.#checkCaughtUp(attached);
  }

  resized(cols: number, rows: number): void {
    const attached = this.#known();
    const { stream, screenActor, feed, received, size, streamedEnd } = attached;
    Object.assign(size, { cols, rows });
    attached.resizes++;
    if (received >= streamedEnd) stream.event({ type: 'resized', id: this.#terminal.id, cols, rows });
    screenActor.resized(cols, rows);
    feed?.resized(cols, rows);
    this.recording.resized(cols, rows, received, this.#resizes.has(cols, rows));
    this.#resizes.resized(cols, rows);
  }

  checkpointWanted(): void {
    this.#known().screenActor.save();
  }

  detached(): void {
    this.#catchingUp.failed(new DomainError('terminal-not-found'));
  }

  exited(exit: ExitStatus): void {
    const attached = this.#known();
    this.recording.exited(exit.exitedAt);
    this.taps.exited();
    this.#signs.end();
    attached.exited = this.#postExit(attached, exit);
    void attached.shown.settle();
    void attached.feed?.settle();
    attached.screenActor.end();
  }

  /** Posts the exit after all marks of the terminal's shells, then ends the calls that still wait for the program. */
  async #postExit({ tracker, stream }: AttachedTerminal, exit: ExitStatus): Promise<void> {
    await tracker.exited(exit.exitCode);
    if (!this.#isClosed) stream.end({ type: 'exited', id: this.#terminal.id, exit });
    await stream.posted;
    this.#resizes.reject(new DomainError('terminal-not-found'));
    this.#waits.exited();
  }

  /** Returns the attached terminal. Throws before `restore`, which the pty host sends first. */
  #known(): AttachedTerminal {
    if (!this.#attached) throw new Error(`a message about ${this.#terminal.id} came before its restore`);
    return this.#attached;
  }

  #checkCaughtUp(attached: AttachedTerminal): void {
    if (this.#waits.hasBegun || attached.received < attached.replayEnd) return;
    this.#catchingUp.reached(attached);
    this.#waits.begin(attached);
  }
}
