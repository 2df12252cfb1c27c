import { DomainError } from '../contract/errors.js';
import type { SpawnResult } from '../contract/host-protocol.js';
import type { CreateTerminal, Terminal, TerminalMode } from '../contract/terminal.js';
import { type NewTerminalOptions, newTerminal } from './new-terminal.js';
import type { Parts } from './pty-host-supervisor.js';
import type { Registry } from './registry.js';
import { Starting } from './starting.js';
import type { TerminalEvents } from './terminal-events.js';
import {
  newTerminalId,
  type TerminalMeta,
  type TerminalRecord,
  toTerminal,
  unpackMeta,
} from './terminal-record.js';

export interface CreationOptions extends NewTerminalOptions {
  registry: Pick<Registry, 'find' | 'add'>;
  events: Pick<TerminalEvents, 'emit'>;
  parts: () => Promise<Parts>;
}

/** Creates terminals. */
export class Creation {
  readonly #options: CreationOptions;
  readonly starting = new Starting();
  #stopping = false;

  constructor(options: CreationOptions) {
    this.#options = options;
  }

  /** Makes every further creation reject with shutting-down. */
  stop(): void {
    this.#stopping = true;
  }

  /**
   * Creates a terminal, or returns the terminal of this `id` if an earlier request has created it. Rejects with
   * spawn-failed, tmux-unavailable, unavailable (nothing was started) and outcome-unknown: the program may yet start.
   * Then `ifLate` decides: its terminal is listed, so that whoever looks for it finds it, or ended.
   */
  async create(
    request: CreateTerminal,
    mode: TerminalMode,
    id = newTerminalId(),
    ifLate: 'list' | 'end' = 'list',
  ): Promise<Terminal> {
    if (this.#stopping) throw new DomainError('shutting-down');
    const there = this.#options.registry.find(id);
    if (there) return toTerminal(there);
    const { meta, spawn } = await newTerminal(request, mode, id, this.#options);
    const parts = await this.#options.parts();
    const list = (spawned: SpawnResult) => this.#list(request, { id, meta, size: spawn }, spawned, parts);
    const late = (spawned: SpawnResult) => {
      // While the service stops, its host ends this terminal like all others.
      if (!this.#stopping) list(spawned);
    };
    const starting = parts.host.spawn(spawn, ifLate === 'list' ? late : undefined);
    const spawned = await this.starting.during(starting);
    // The service began to stop meanwhile, and nothing else would close this terminal.
    if (this.#stopping) {
      await parts.host.kill(spawned.handle);
      throw new DomainError('shutting-down');
    }
    return list(spawned);
  }

  #list(
    { paneId, direction, parentTerminalId, hold }: CreateTerminal,
    made: { id: string; meta: TerminalMeta; size: { cols: number; rows: number } },
    { handle, pid, meta: earlier }: SpawnResult,
    { shards }: Parts,
  ): Terminal {
    const { id, size } = made;
    const { registry, events } = this.#options;
    const meta = (earlier && unpackMeta(earlier)) || made.meta;
    const record: TerminalRecord = {
      ...{ id, handle, pid, meta, exit: null },
      size: { cols: size.cols, rows: size.rows },
    };
    const terminal = toTerminal(record);
    registry.add(record);
    events.emit({ type: 'created', id, terminal, placement: { paneId, direction, parentTerminalId } });
    shards.open(id, handle, { isNew: true, isHeld: hold });
    return terminal;
  }
}
