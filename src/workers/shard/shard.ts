import { transfer } from 'comlink';
import pLimit from 'p-limit';
import { DomainError } from '../../contract/errors.js';
import type { Labels } from '../../contract/labels.js';
import { MAX_RENDERS } from '../../contract/limits.js';
import type { Capture, Snapshot } from '../../contract/terminal.js';
import type { Spill } from '../kept.js';
import { LoopDelayMeter } from '../loop-delay.js';
import type { HostConnection } from '../pty-host/client/host-client.js';
import { Activity } from './activity.js';
import { AwakeScreenLru } from './awake-screen-lru.js';
import { type Changes, changesOf } from './changes.js';
import { readRange } from './output-range.js';
import { ParseLoop } from './parse-loop.js';
import type { PieceQuery, RangePiece } from './piece-query.js';
import type {
  Awaited,
  Interest,
  Met,
  OpenTerminal,
  OutputQuery,
  RangeQuery,
  RangeText,
  ReadPage,
  ShardApi,
  ShardStats,
  TypedText,
  WrittenText,
} from './protocol.js';
import { lookAtPlace, lookAtScreen, readOutput, takeCapture, takeSnapshot } from './questions.js';
import { readPiece } from './range-piece.js';
import { ReadMemory } from './read-memory.js';
import { SpareScreen } from './screen/spare-screen.js';
import { ScreenCopies } from './screen-copies.js';
import type { RowsAnswer, RowsQuery } from './screen-rows-api.js';
import type { PlaceStatus, ScreenStatus } from './screen-status.js';
import type { ShardContext } from './shard-context.js';
import { FeedRenderer } from './stages/feed-renderer.js';
import type { RecordingPlan, RecordingTotals } from './stages/recording-plan.js';
import type { StreamPort } from './stream-port.js';
import { Subscriptions } from './subscriptions.js';
import type { TapFrom, TapSlice } from './taps/tap-api.js';
import { TerminalActor } from './terminal-actor.js';
import { LineSearches } from './watches/line-searches.js';
import type { LineSearchChange } from './watches/watch-api.js';

/** Holds many terminals in a worker thread and serves the main thread's calls about them. */
export class Shard implements ShardApi {
  readonly #context: ShardContext;
  readonly #interest = new Subscriptions();
  readonly #actors = new Map<string, TerminalActor>();
  /** Closed terminals whose last output is not fed to the search index yet; each resolves once it is. */
  readonly #closing = new Set<Promise<void>>();

  readonly #copies: ScreenCopies;
  readonly #loopDelay = new LoopDelayMeter();

  constructor(options: { host: HostConnection; scrollback: number; port: StreamPort; spill: Spill }) {
    const loop = new ParseLoop();
    this.#context = {
      ...options,
      loop,
      awake: new AwakeScreenLru(),
      spare: new SpareScreen(),
      interest: this.#interest,
      activity: new Activity((id, bytes) => options.port.post({ type: 'active', id, bytes })),
      searches: new LineSearches((found) => options.port.post(found)),
      renderer: new FeedRenderer(loop),
      renders: pLimit(MAX_RENDERS),
      wakes: pLimit(1),
      memory: new ReadMemory(),
      counters: { outputBytes: 0 },
      recordings: new Set(),
    };
    this.#copies = new ScreenCopies(this.#actors, (id, error) =>
      options.port.post({ type: 'fault', id, error: String(error) }),
    );
  }

  open(terminal: OpenTerminal): void {
    this.#context.searches.labelled(terminal.id, terminal.labels);
    this.#actors.set(terminal.id, new TerminalActor(this.#context, terminal));
  }

  async close(id: string): Promise<void> {
    const actor = this.#actors.get(id);
    if (!actor) return;
    this.#actors.delete(id);
    const left = actor.leave();
    const closed = left
      .then((isWhole) => actor.close(isWhole))
      .catch((error: unknown) => this.#context.port.post({ type: 'fault', id, error: String(error) }))
      .finally(() => this.#closing.delete(closed));
    this.#closing.add(closed);
    await left;
  }

  resize(id: string, cols: number, rows: number): Promise<void> {
    return this.#actor(id).resize(cols, rows);
  }

  read(id: string, query: OutputQuery): Promise<ReadPage> {
    return this.#actor(id).ask((attached) => readOutput(attached, query));
  }

  snapshot(id: string): Promise<Snapshot> {
    return this.#actor(id).ask(takeSnapshot);
  }

  capture(id: string, scrollback: boolean): Promise<Capture> {
    return this.#actor(id).ask((attached) => takeCapture(attached, scrollback));
  }

  rangeText(id: string, query: RangeQuery): Promise<RangeText> {
    return this.#actor(id).ask((attached) => readRange(attached, query));
  }

  rangePiece(id: string, query: PieceQuery): Promise<RangePiece> {
    return this.#actor(id).ask((attached) => readPiece(attached, query));
  }

  place(id: string): Promise<PlaceStatus> {
    return this.#actor(id).ask(lookAtPlace);
  }

  look(id: string): Promise<ScreenStatus> {
    return this.#actor(id).ask(lookAtScreen);
  }

  until(id: string, waiter: number, awaited: Awaited): Promise<Met> {
    return this.#actor(id).until(waiter, awaited);
  }

  cancel(id: string, waiter: number): void {
    this.#actors.get(id)?.cancel(waiter);
  }

  changes(cursors: ReadonlyMap<string, string | null>, maxBytes: number): Promise<Changes> {
    return changesOf(this.#actors, cursors, maxBytes);
  }

  expectMarks(id: string, token: string): Promise<void> {
    return this.#actor(id).expectMarks(token);
  }

  resync(id: string): Promise<void> {
    return this.#actor(id).resync();
  }

  tap(id: string, reader: number, from: TapFrom): Promise<void> {
    return this.#actor(id).tap(reader, from);
  }

  async takeTapped(id: string, reader: number): Promise<TapSlice> {
    const slice = await this.#actor(id).taps.take(reader);
    return transfer(slice, [slice.bytes.buffer as ArrayBuffer]);
  }

  untap(id: string, reader: number): void {
    this.#actors.get(id)?.taps.close(reader);
  }

  record(id: string, plan: RecordingPlan): Promise<void> {
    return this.#actor(id).record(plan);
  }

  typed(id: string, typed: WrittenText): void {
    this.#actor(id).typed(typed);
  }

  mark(id: string, label: string): void {
    this.#actor(id).recording.mark(label);
  }

  isShown(id: string, typed: TypedText): Promise<boolean> {
    return this.#actor(id).isShown(typed);
  }

  stopRecording(id: string): Promise<RecordingTotals> {
    return this.#actor(id).stopRecording();
  }

  recordings(): string[] {
    return [...this.#context.recordings];
  }

  watch(interest: Interest): void {
    this.#interest.set(interest);
  }

  searchLines(change: LineSearchChange): void {
    this.#context.searches.change(change);
  }

  labelled(id: string, labels: Labels): void {
    if (this.#actors.has(id)) this.#context.searches.labelled(id, labels);
  }

  feed(isOn: boolean): void {
    this.#context.renderer.isOn = isOn;
  }

  async settle(): Promise<void> {
    const feeds = [...this.#actors.values()].map((actor) => actor.settleFeed());
    await Promise.all([...feeds, ...this.#closing]);
  }

  screenRows(queries: readonly RowsQuery[]): Promise<RowsAnswer> {
    return this.#copies.rows(queries);
  }

  ping(): number {
    return this.#context.counters.outputBytes;
  }

  stats(): ShardStats {
    const waiting = [...this.#actors.values()].map(({ attached }) => attached?.screenActor.waitingBytes ?? 0);
    return {
      outputBytes: this.#context.counters.outputBytes,
      parseQueueBytes: waiting.reduce((sum, bytes) => sum + bytes, 0),
      streamQueueBytes: this.#context.port.waitingBytes,
      loopDelay: this.#loopDelay.take(),
    };
  }

  #actor(id: string): TerminalActor {
    const actor = this.#actors.get(id);
    if (!actor) throw new DomainError('terminal-not-found');
    return actor;
  }
}
