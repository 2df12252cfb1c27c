import type { Caller } from '../contract/caller.js';
import { DomainError } from '../contract/errors.js';
import type { SpawnRequest, SpawnResult } from '../contract/host-protocol.js';
import type { CreateTerminal, Terminal, TerminalMode } from '../contract/terminal.js';
import { noneHeld } from '../contract/terminal-limits.js';
import type { Admission } from './admission/admission.js';
import type { Place } from './admission/waiter.js';
import { type NewTerminalOptions, newTerminal, type TerminalOrigin } from './new-terminal.js';
import type { Parts } from './pty-host-supervisor.js';
import type { Registry } from './registry.js';
import { SoleWriter } from './sole-writer.js';
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
  /** Decides when a terminal may be created; there is no way around it. */
  admission: Pick<Admission, 'admit' | 'stop'>;
}

/** Reason why no limit holds, for a host that reports nothing about limits. */
const OLDER_HOST = 'the pty host is of a release without limits of terminals';

/** Terms of a creation, besides the fields of the request. */
export interface CreationTerms {
  /** Fate of a terminal whose program starts after its creation was given up; `list` by default. */
  ifLate?: 'list' | 'end';
  /** Fires when nobody wants the terminal any longer; ends the creation while it waits in line, and not later. */
  client?: AbortSignal | undefined;
  /** The terminal that asks for it. */
  caller?: Caller | undefined;
  /** Variables for the program that no request names, such as its token. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Ids of the tokens with which it is created. */
  madeWith?: readonly string[] | undefined;
  /** Whether its program may do only what a grant allows. */
  granted?: boolean | undefined;
  /** Called when its program is about to be started; throws if that is no longer allowed. */
  mayStart?: (() => void) | undefined;
  /** Runs the work after the admission in its turn; by default at once. */
  inTurn?: <Result>(work: () => Promise<Result>) => Promise<Result>;
}

/** Facts of a creation, besides the request. */
interface Asked extends TerminalOrigin, Pick<CreationTerms, 'mayStart'> {
  ifLate: 'list' | 'end';
}

/** Creates terminals. */
export class Creation {
  readonly #options: CreationOptions;
  readonly starting = new Starting();
  #stopping = false;

  constructor(options: CreationOptions) {
    this.#options = options;
  }

  /** Makes further creations, and creations that wait in line, reject with shutting-down. */
  stop(): void {
    this.#stopping = true;
    this.#options.admission.stop();
  }

  /**
   * Creates a terminal, or returns the terminal of this `id` if an earlier request has created it. Rejects with
   * over-limit, spawn-failed, tmux-unavailable, unavailable (nothing was started), with the reason of `client`, and with
   * outcome-unknown: the program may yet start. Then `ifLate` decides: its terminal is listed, so that a client that
   * looks for it finds it, or ended.
   */
  async create(
    request: CreateTerminal,
    mode: TerminalMode,
    id = newTerminalId(),
    terms: CreationTerms = {},
  ): Promise<Terminal> {
    if (this.#stopping) throw new DomainError('shutting-down');
    const there = this.#options.registry.find(id);
    if (there) return toTerminal(there);
    const { queueMs, priority = 0, labels = {}, name = null } = request;
    // A faulty request is refused at once, not after its time in line.
    this.#options.tabFor(request);
    const asking = { terminalId: id, name, labels, mode, caller: terms.caller ?? null, priority, queueMs };
    const place = await this.#options.admission.admit(asking, terms.client);
    const { inTurn = (work) => work() } = terms;
    const { env = {}, madeWith = [], granted = false, ifLate = 'list', mayStart } = terms;
    const asked = { mode, id, env, madeWith, granted, ifLate, mayStart, place };
    return inTurn(() => this.#start(request, asked));
  }

  async #start(request: CreateTerminal, { place, ...asked }: Asked & { place: Place }): Promise<Terminal> {
    try {
      asked.mayStart?.();
      const terminal = await this.#spawn(request, { ...asked, onListed: () => place.free() });
      return terminal;
    } catch (error) {
      const mayYetStart =
        asked.ifLate === 'list' && error instanceof DomainError && error.code === 'outcome-unknown';
      if (mayYetStart) place.freeLater();
      else place.free();
      throw error;
    }
  }

  async #spawn(request: CreateTerminal, asked: Asked & { onListed: () => void }): Promise<Terminal> {
    const { id, ifLate, onListed } = asked;
    const { meta, spawn } = await newTerminal(request, asked, this.#options);
    const parts = await this.#options.parts();
    const list = (spawned: SpawnResult) => {
      const terminal = this.#list(request, { id, meta, spawn }, spawned, parts);
      onListed();
      return terminal;
    };
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
    made: { id: string; meta: TerminalMeta; spawn: SpawnRequest },
    { handle, pid, meta: earlier, limits }: SpawnResult,
    { shards }: Parts,
  ): Terminal {
    const { id, spawn } = made;
    const { registry, events } = this.#options;
    const meta = (earlier && unpackMeta(earlier)) || made.meta;
    const record: TerminalRecord = {
      ...{ id, handle, pid, meta, exit: null },
      size: { cols: spawn.cols, rows: spawn.rows },
      // A terminal that was there already may have been typed into.
      ...(!earlier && meta.backend === 'pty' && { writers: new SoleWriter() }),
      limits: limits ?? (spawn.limits && noneHeld(spawn.limits, OLDER_HOST)),
    };
    const terminal = toTerminal(record);
    registry.add(record);
    events.emit({ type: 'created', id, terminal, placement: { paneId, direction, parentTerminalId } });
    shards.open(id, handle, { isNew: true, isHeld: hold });
    return terminal;
  }
}
