import { DomainError } from '../../contract/errors.js';
import type { Capture, OutputPage, Snapshot } from '../../contract/terminal.js';
import type { HostConnection } from '../pty-host/host-client.js';
import { InterestTable } from './interest.js';
import { ParseLoop } from './parse-loop.js';
import type { Interest, OpenTerminal, OutputQuery, ShardApi } from './protocol.js';
import type { StreamPort } from './stream-port.js';
import type { RecordingPlan, RecordingTotals } from './taps/recording-plan.js';
import { type Home, TerminalActor } from './terminal-actor.js';

/** The home of many terminals, as its worker thread serves it to the main thread. */
export class Shard implements ShardApi {
  readonly #home: Home;
  readonly #interest = new InterestTable();
  readonly #actors = new Map<string, TerminalActor>();

  constructor(options: { host: HostConnection; scrollback: number; port: StreamPort }) {
    this.#home = { ...options, loop: new ParseLoop(), interest: this.#interest };
  }

  open(terminal: OpenTerminal): void {
    this.#actors.set(terminal.id, new TerminalActor(this.#home, terminal));
  }

  close(id: string): void {
    this.#actors.get(id)?.close();
    this.#actors.delete(id);
  }

  resize(id: string, cols: number, rows: number): Promise<void> {
    return this.#actor(id).resize(cols, rows);
  }

  read(id: string, query: OutputQuery): Promise<OutputPage> {
    return this.#actor(id).read(query);
  }

  snapshot(id: string): Promise<Snapshot> {
    return this.#actor(id).snapshot();
  }

  capture(id: string, scrollback: boolean): Promise<Capture> {
    return this.#actor(id).capture(scrollback);
  }

  resync(id: string): Promise<void> {
    return this.#actor(id).resync();
  }

  record(id: string, plan: RecordingPlan): Promise<void> {
    return this.#actor(id).record(plan);
  }

  typed(id: string, texts: string[]): void {
    this.#actor(id).typed(texts);
  }

  stopRecording(id: string): Promise<RecordingTotals> {
    return this.#actor(id).stopRecording();
  }

  watch(interest: Interest): void {
    this.#interest.set(interest);
    this.#home.port.post({ type: 'watching', number: interest.number });
  }

  ping(): void {}

  #actor(id: string): TerminalActor {
    const actor = this.#actors.get(id);
    if (!actor) throw new DomainError('terminal-not-found');
    return actor;
  }
}
