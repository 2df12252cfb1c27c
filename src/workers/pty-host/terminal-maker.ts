import type { SpawnRequest } from '../../contract/host-protocol.js';
import { LOST_OUTPUT_END } from '../../contract/limits.js';
import type { ExitStatus } from '../../contract/terminal.js';
import type { EarlierTerminal } from './earlier-terminal.js';
import { type HostedSpec, HostedTerminal, type TerminalDeps } from './hosted-terminal.js';
import type { LedgerRecord } from './ledger/ledger.js';
import type { LeftSession } from './ledger/session-record.js';
import type { Limited, Limiter } from './limits/limiter.js';
import { SpareSlabs } from './log/byte-queue.js';
import { LogBudget } from './log/log-budget.js';
import type { Niceness } from './processes/niceness.js';
import { GonePty } from './pty/gone-pty.js';
import type { Ptys } from './pty/pty.js';
import type { KeptPty, OpenPty } from './pty/pty-port.js';
import { findProgram } from './pty/spawn-check.js';
import type { TmuxServer } from './tmux/tmux-server.js';
import { type HostFault, TOO_LATE } from './wire/host-fault.js';

export interface MakerDeps extends Omit<TerminalDeps, 'budget' | 'spare' | 'openPty'> {
  ptys: Ptys;
  tmux: TmuxServer;
  niceness: Pick<Niceness, 'set'>;
  limiter: Pick<Limiter, 'limit' | 'drop'>;
}

/** A terminal, or why there is none. */
export type Made = { terminal: HostedTerminal } | { fault: HostFault };

/** An exited terminal of a host that was killed. */
export type LeftTerminal = LeftSession & { exit: ExitStatus };

/** Facts of a terminal to adopt, besides its log and its session. */
export interface AdoptedTerminal extends Pick<HostedSpec, 'id' | 'meta' | 'cols' | 'rows'> {
  handle: number;
  pid: number;
  pty: KeptPty;
  nice: number;
}

const NOTHING = new Uint8Array(0);

/** Stands for the program of a terminal that is not started any more. */
const NO_PROGRAM = { file: '', path: '', args: [], env: {}, cwd: '' };

/** Starts programs on terminals: on PTYs of this process, or in tmux. */
export class TerminalMaker {
  readonly #deps: MakerDeps;
  readonly #budget = new LogBudget();
  readonly #spare = new SpareSlabs();
  /** Handles are never used twice, since frames for a closed terminal may still be under way. */
  #lastHandle = 0;
  #stopped = false;

  constructor(deps: MakerDeps) {
    this.#deps = deps;
  }

  /**
   * Starts a program. Calls `done` once with the result: before it returns, except for tmux, where a program may wait
   * for its turn, and is not started if nobody wants it any more by then.
   */
  make(request: SpawnRequest, isWanted: () => boolean, done: (made: Made) => void): void {
    const program = findProgram(request);
    if ('fault' in program) {
      done({ fault: { code: 'spawn-failed', message: program.fault } });
      return;
    }
    const limited = this.#deps.limiter.limit(request);
    const spawn = { ...request, path: program.path, limited, entry: limited?.entry };
    if (!request.tmux) {
      done(this.#made(spawn, this.#deps.ptys.open));
      return;
    }
    this.#deps.tmux.start(spawn, request.tmux, isWanted, (ready) => {
      if (ready !== 'unwanted' && 'openPty' in ready) {
        done(this.#made(spawn, ready.openPty));
        return;
      }
      this.#deps.limiter.drop(limited);
      if (ready === 'unwanted') done({ fault: TOO_LATE });
      else done(ready.mayHaveRun ? this.#unknown(spawn, ready.fault) : this.#failed(spawn, ready.fault));
    });
  }

  /** Returns the terminal of a program that an earlier host left, and that `kill` ends. Its handle stays taken. */
  left(record: LedgerRecord, left: LeftTerminal, kill: TerminalDeps['kill']): HostedTerminal {
    const { handle, pid, session, cols, rows } = record;
    this.continueAfter(handle);
    const openPty = () => new GonePty(pid, session.leader);
    const checkpoint = { position: LOST_OUTPUT_END, cols, rows, bytes: NOTHING };
    const log = { checkpoint, output: NOTHING, resizes: [] };
    const earlier = { ...left, log, confirmed: LOST_OUTPUT_END, input: [] };
    const spec = { ...record, ...NO_PROGRAM };
    return new HostedTerminal(handle, spec, { ...this.#parts(openPty), kill }, earlier);
  }

  /** Returns a terminal that this process had before it was renewed. */
  adopt(kept: EarlierTerminal & AdoptedTerminal): HostedTerminal {
    const { handle, pid, pty, nice } = kept;
    const openPty: OpenPty = (_spec, events) => this.#deps.ptys.adopt(pty, pid, events);
    const spec = { ...kept, ...NO_PROGRAM };
    const terminal = new HostedTerminal(handle, spec, this.#parts(openPty), kept);
    if (!kept.exit) this.#deps.niceness.set(terminal.record.session, pid, nice);
    return terminal;
  }

  get lastHandle(): number {
    return this.#lastHandle;
  }

  /** Makes all further handles higher than this one. */
  continueAfter(handle: number): void {
    this.#lastHandle = Math.max(this.#lastHandle, handle);
  }

  /** Makes every further start fail. */
  stop(): void {
    this.#stopped = true;
  }

  #made(spawn: SpawnRequest & { path: string; limited: Limited | null }, openPty: OpenPty): Made {
    const { limited } = spawn;
    this.#lastHandle += 1;
    try {
      if (this.#stopped) throw new Error('the pty host is shutting down');
      const terminal = new HostedTerminal(this.#lastHandle, spawn, this.#parts(openPty));
      this.#deps.niceness.set(terminal.record.session, terminal.pid, limited?.nice ?? spawn.nice ?? 0);
      return { terminal };
    } catch (error) {
      this.#deps.limiter.drop(limited);
      return this.#failed(spawn, error instanceof Error ? error.message : String(error));
    }
  }

  #parts(openPty: OpenPty): TerminalDeps {
    return { ...this.#deps, openPty, budget: this.#budget, spare: this.#spare };
  }

  #failed({ file }: SpawnRequest, why: string): Made {
    return this.#fault('spawn-failed', `${file} could not be started: ${why}`);
  }

  #unknown({ file }: SpawnRequest, why: string): Made {
    return this.#fault('outcome-unknown', `${file} may have run for a moment, and has been ended: ${why}`);
  }

  #fault(code: HostFault['code'], message: string): Made {
    this.#deps.log(message);
    return { fault: { code, message } };
  }
}
