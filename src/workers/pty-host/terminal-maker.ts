import type { SpawnRequest } from '../../contract/host-protocol.js';
import { HostedTerminal, type LeftTerminal, type TerminalDeps } from './hosted-terminal.js';
import type { LedgerRecord } from './ledger/ledger.js';
import { SpareSlabs } from './log/byte-queue.js';
import { LogBudget } from './log/log-budget.js';
import type { Niceness } from './processes/niceness.js';
import { GonePty } from './pty/gone-pty.js';
import type { OpenPty } from './pty/pty-port.js';
import { findProgram } from './pty/spawn-check.js';
import type { TmuxServer } from './tmux/tmux-server.js';
import { type HostFault, TOO_LATE } from './wire/host-fault.js';

export interface MakerDeps extends Omit<TerminalDeps, 'budget' | 'spare'> {
  tmux: TmuxServer;
  niceness: Pick<Niceness, 'set'>;
}

/** A terminal, or why there is none. */
export type Made = { terminal: HostedTerminal } | { fault: HostFault };

/** Starts programs on terminals: on PTYs of this process, or in tmux. */
export class TerminalMaker {
  readonly #deps: MakerDeps;
  readonly #budget = new LogBudget();
  readonly #spare = new SpareSlabs();
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
    const spawn = { ...request, path: program.path };
    if (!request.tmux) {
      done(this.#made(spawn, this.#deps.openPty));
      return;
    }
    this.#deps.tmux.start(spawn, request.tmux, isWanted, (ready) => {
      if (ready === 'unwanted') done({ fault: TOO_LATE });
      else if ('openPty' in ready) done(this.#made(spawn, ready.openPty));
      else done(ready.mayHaveRun ? this.#unknown(spawn, ready.fault) : this.#failed(spawn, ready.fault));
    });
  }

  /** Returns the terminal of a program that an earlier host left, and that `kill` ends. Its handle stays taken. */
  left(record: LedgerRecord, left: LeftTerminal, kill: TerminalDeps['kill']): HostedTerminal {
    const { handle, pid, session } = record;
    this.#lastHandle = Math.max(this.#lastHandle, handle);
    const openPty = () => new GonePty(pid, session.leader);
    const spec = { ...record, file: '', path: '', args: [], env: {}, cwd: '' };
    return new HostedTerminal(handle, spec, { ...this.#parts(openPty), kill }, left);
  }

  /** Makes every further start fail. */
  stop(): void {
    this.#stopped = true;
  }

  #made(spawn: SpawnRequest & { path: string }, openPty: OpenPty): Made {
    if (this.#stopped) return this.#failed(spawn, 'the pty host is shutting down');
    this.#lastHandle += 1;
    try {
      const terminal = new HostedTerminal(this.#lastHandle, spawn, this.#parts(openPty));
      this.#deps.niceness.set(terminal.record.session, terminal.pid, spawn.nice ?? 0);
      return { terminal };
    } catch (error) {
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
