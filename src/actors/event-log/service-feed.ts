import type { Labels } from '../../contract/labels.js';
import { EVENT_CHANGES_MS } from '../../contract/limits.js';
import type { EndedRun } from '../../contract/service-event.js';
import type { Canvas } from '../canvas/canvas.js';
import type { Layout } from '../layout/layout.js';
import type { Recordings } from '../recordings/recordings.js';
import type { RecordingChange } from '../recordings/running-recordings.js';
import type { Runs } from '../runs/runs.js';
import type { EventLog } from './event-log.js';
import { changedNames, hashesOf } from './setting-hashes.js';

export interface ServiceFeedOptions {
  log: Pick<EventLog, 'append' | 'note' | 'facts' | 'isContinued' | 'isInterrupted'>;
  recordings: Pick<Recordings, 'isOver' | 'onChanged' | 'running'>;
  layout: Pick<Layout, 'onChanged'>;
  canvas: Pick<Canvas, 'onChanged'>;
  /** Returns the current settings, in sections. */
  settings: () => object;
  /** Returns the labels of a terminal; undefined if it is gone. */
  labelsOf: (terminalId: string) => Labels | undefined;
}

const RECORDINGS = 'recording/';
const RUNS = 'run/';
const SETTINGS = 'settings';

/** Logs the events of recordings, runs, settings, layout and canvas, and at the start the changes since an earlier service. */
export class ServiceFeed {
  readonly #options: ServiceFeedOptions;
  /** Changes that are logged once their timer fires: dragging a pane or closing many terminals is one change. */
  readonly #pending = new Map<'layout.changed' | 'canvas.changed', NodeJS.Timeout>();

  constructor(options: ServiceFeedOptions) {
    this.#options = options;
  }

  /** Logs what has changed since the last event of an earlier service, and follows the parts from now on. */
  start(runs: Pick<Runs, 'ended' | 'isRunning'>): void {
    const { log, recordings, layout, canvas } = this.#options;
    if (log.isContinued) {
      for (const id of this.#ids(RECORDINGS)) if (recordings.isOver(id)) this.#recordingStopped(id);
      for (const id of this.#ids(RUNS)) if (!runs.isRunning(id)) this.#runOver(id, runs.ended(id));
    }
    for (const change of recordings.running()) this.#recordingStarted(change);
    this.settingsChanged();
    recordings.onChanged((change) => {
      if (change.kind === 'started') this.#recordingStarted(change);
      else this.#recordingStopped(change.recordingId, change);
    });
    layout.onChanged(() => this.#changed('layout.changed'));
    canvas.onChanged(() => this.#changed('canvas.changed'));
    if (!log.isInterrupted) return;
    // The log may lack changes from just before the crash, and changes that follow from terminals that are gone.
    this.#changed('layout.changed');
    this.#changed('canvas.changed');
  }

  runBegan(runId: string): void {
    const { log } = this.#options;
    if (!log.facts.has(RUNS + runId)) log.note(new Map([[RUNS + runId, { kind: 'run' }]]));
  }

  runEnded(run: EndedRun): void {
    this.#runOver(run.runId, run);
  }

  settingsChanged(): void {
    const { log, settings } = this.#options;
    const fact = log.facts.get(SETTINGS);
    const hashes = hashesOf(settings());
    const facts = new Map([[SETTINGS, { kind: 'settings', hashes } as const]]);
    const names = fact?.kind === 'settings' ? changedNames(fact.hashes, hashes) : [];
    if (names.length > 0) log.append({ type: 'settings.changed', data: { settings: names } }, {}, facts);
    else if (!fact) log.note(facts);
  }

  /** Logs the changes that wait. Call before the log is closed. */
  stop(): void {
    for (const [type, timer] of this.#pending) {
      clearTimeout(timer);
      this.#sayChanged(type);
    }
  }

  #recordingStarted({ recordingId, terminalId }: RecordingChange): void {
    const { log, labelsOf } = this.#options;
    const key = RECORDINGS + recordingId;
    if (log.facts.has(key)) return;
    const labels = labelsOf(terminalId) ?? {};
    const facts = new Map([[key, { kind: 'recording', terminalId, labels } as const]]);
    log.append({ type: 'recording.started', terminalId, data: { recordingId } }, labels, facts);
  }

  /** A recording whose start is not in the log was never known to a client. */
  #recordingStopped(recordingId: string, { truncated }: Pick<RecordingChange, 'truncated'> = {}): void {
    const key = RECORDINGS + recordingId;
    const fact = this.#options.log.facts.get(key);
    if (fact?.kind !== 'recording') return;
    const { terminalId, labels } = fact;
    const data = { recordingId, ...(truncated && { truncated }) };
    this.#options.log.append(
      { type: 'recording.stopped', terminalId, data },
      this.#options.labelsOf(terminalId) ?? labels,
      new Map([[key, null]]),
    );
  }

  #runOver(runId: string, run: EndedRun | undefined): void {
    const data = run ?? { runId, state: 'unknown' as const };
    this.#options.log.append({ type: 'run.finished', data }, {}, new Map([[RUNS + runId, null]]));
  }

  #changed(type: 'layout.changed' | 'canvas.changed'): void {
    if (this.#pending.has(type)) return;
    const timer = setTimeout(() => this.#sayChanged(type), EVENT_CHANGES_MS);
    this.#pending.set(type, timer.unref());
  }

  #sayChanged(type: 'layout.changed' | 'canvas.changed'): void {
    this.#pending.delete(type);
    this.#options.log.append({ type, data: {} }, {});
  }

  #ids(prefix: string): string[] {
    const keys = [...this.#options.log.facts.keys()];
    return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  }
}
