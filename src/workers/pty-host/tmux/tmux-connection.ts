import type { TmuxHome } from '../../../contract/host-protocol.js';
import {
  TMUX_COMMAND_DEADLINE_MS,
  TMUX_END_DEADLINE_MS,
  TMUX_WINDOW_DEADLINE_MS,
} from '../../../contract/limits.js';
import { shortenTimeSlice } from '../../time-slice.js';
import { hangUp, type Session } from '../processes/killer.js';
import { hasEnded } from '../processes/process-end.js';
import type { Libc } from '../pty/libc.js';
import type { PtySpec } from '../pty/starter.js';
import { mustHaveRoom } from '../pty/terminal-file.js';
import type { Answer } from './control-answers.js';
import { ControlClient } from './control-client.js';
import { Freezer } from './freezer.js';
import { Holds } from './holds.js';
import { killServer } from './kill-server.js';
import { openPaneFile } from './pane-file.js';
import { PaneMoves } from './pane-moves.js';
import { Panes } from './panes.js';
import { clientArguments, clientEnvironment, hubOf, setUpCommands } from './set-up.js';
import { TmuxPty } from './tmux-pty.js';
import type { TmuxReady } from './tmux-ready.js';
import { givenUp, givingUp, type Pane, paneOf, undoing, unlinkFrom, windowCommands } from './window.js';
import { environmentFor } from './wrapped-environment.js';
import { type WrapperTools, wrapped } from './wrapper.js';

export interface TmuxDeps {
  libc: Libc;
  tools: WrapperTools;
  /** Program of the hub's own window, which ends the server when this process is gone. */
  hubProgram: readonly string[];
  log(message: string): void;
  startedAt(pid: number): string | null;
  /** Ends the remaining processes of a session whose terminal is not wanted any more. */
  kill(session: Session): void;
}

/** Descriptor, nonce and size of a terminal. */
type PtyParts = ConstructorParameters<typeof TmuxPty>[1];

/** One life of the tmux server: the client that is attached to it, and the terminals in it. */
export class TmuxConnection {
  /** Resolves when the server or the client has ended; by then all terminals have been notified. */
  readonly closed: Promise<void>;
  readonly #deps: TmuxDeps;
  /** Target of the hub. */
  readonly #hub = `=${hubOf(process.pid)}:`;
  readonly #client: ControlClient;
  readonly #panes = new Panes();
  readonly #moves: PaneMoves;
  readonly #holds: Holds;
  #server: Session | null = null;
  #pasteFlags = '';
  /** Number of starts so far. */
  #starts = 0;

  constructor(home: TmuxHome, deps: TmuxDeps) {
    this.#deps = deps;
    let onClosed = () => {};
    this.closed = new Promise((resolve) => {
      onClosed = resolve;
    });
    this.#client = new ControlClient(
      {
        file: home.file,
        args: clientArguments(home, hubOf(process.pid), deps.hubProgram),
        env: clientEnvironment(process.env),
        log: deps.log,
      },
      {
        output: (pane, bytes) => this.#panes.output(pane, bytes),
        notice: (line) => this.#moves.notice(line),
        closed: (reason) => {
          this.#onClosed(reason);
          onClosed();
        },
      },
    );
    this.#moves = new PaneMoves({
      panes: this.#panes,
      run: (commands, onAnswer) => this.#client.run(commands, onAnswer),
      hub: this.#hub,
    });
    const freezer = new Freezer({ pid: () => this.#serverPid(), log: deps.log });
    this.#holds = new Holds(this.#client, freezer);
  }

  /** Sets the server up; resolves with false if others live in it. Rejects if the server does not answer or ends. */
  async greet(): Promise<boolean> {
    const [sessions = [], [facts = ''] = []] = await this.#client.ask([
      "list-sessions -F '#{session_name}'",
      "display-message -p '#{pid} #{version}'",
    ]);
    const [pid = '', version = ''] = facts.split(' ');
    this.#server = { leader: Number(pid), startedAt: this.#deps.startedAt(Number(pid)) };
    // Where another host's terminals have ended, its hub is the only session, and this host's hub may not exist yet.
    if (sessions.some((name) => name !== hubOf(process.pid))) return false;
    this.#pasteFlags = rewritesPastes(version) ? '-S' : '';
    for (const command of setUpCommands(hubOf(process.pid))) await this.#client.ask([command]);
    // Both are on the way of each keystroke and of all output.
    for (const each of [Number(pid), this.#client.pid]) shortenTimeSlice(each);
    return true;
  }

  /** Starts a program in a window of its own; see {@link TmuxReady}. */
  start(spec: PtySpec & { id: string }, historyLimit: number, done: (ready: TmuxReady) => void): void {
    try {
      mustHaveRoom(this.#deps.libc);
    } catch (error) {
      done({ fault: (error as Error).message });
      return;
    }
    const { id, cols, rows } = spec;
    const { argv, nonce } = wrapped(spec, this.#deps.tools);
    const parts = { hub: this.#hub, argv, env: environmentFor(spec), historyLimit };
    const gone = givenUp(id, ++this.#starts);
    this.#panes.startBegins();
    const started = (answer: Answer) => {
      if ('lines' in answer) this.#follow(paneOf(answer.lines), { nonce, size: { cols, rows } }, done);
      else {
        this.#tell(answer.isUnanswered ? [givingUp(id, gone)] : undoing(id, answer.fault));
        done({ fault: `tmux: ${answer.fault}`, mayHaveRun: answer.isUnanswered === true });
      }
      this.#panes.startEnds();
    };
    this.#client.run(windowCommands({ ...spec, ...parts }), started, (late) => {
      if ('lines' in late) this.#end(paneOf(late.lines));
      else this.#tell(undoing(gone, late.fault));
    });
  }

  /** Ends the server and everything in it. Resolves when its process has ended: until then its socket takes clients. */
  async stop(): Promise<void> {
    const server = this.#serverPid();
    const late = setTimeout(() => {
      this.#killServer();
      this.#client.close();
    }, TMUX_END_DEADLINE_MS);
    // Programs that are being started must be known before the server is killed: their processes may not end with it.
    await Promise.race([this.#panes.idle(), this.closed]);
    this.#tell(['kill-server']);
    await this.closed;
    clearTimeout(late);
    if (server !== null) await hasEnded(server, TMUX_END_DEADLINE_MS);
  }

  #follow(pane: Pane, parts: Omit<PtyParts, 'fd'>, done: (ready: TmuxReady) => void): void {
    const session = this.#sessionOf(pane);
    let fd: number;
    try {
      this.#panes.mustBeWhole(pane.pane);
      fd = openPaneFile(pane, this.#deps.libc);
    } catch (error) {
      this.#end(pane, session);
      // A program that ends its whole group at once closes the window before its terminal can be opened.
      done({ fault: (error as Error).message, mayHaveRun: true });
      return;
    }
    this.#panes.add(this.#ptyOf(pane, { fd, ...parts }, session, done));
  }

  #ptyOf(pane: Pane, parts: PtyParts, session: Session, done: (ready: TmuxReady) => void): TmuxPty {
    const { libc, log } = this.#deps;
    const settle = (ready: TmuxReady) => {
      clearTimeout(deadline);
      done(ready);
      if (pty.isOpen) return;
      pty.close();
      this.#deps.kill(session);
    };
    const pty: TmuxPty = new TmuxPty(pane, parts, {
      ...{ libc, log, holds: this.#holds, pasteFlags: this.#pasteFlags },
      run: (commands, onAnswer) => this.#client.run(commands, onAnswer),
      end: () => {
        const window = this.#panes.windowOf(pty);
        this.#panes.remove(pty);
        this.#hangUp(pane, session, window);
      },
      started: () => settle({ openPty: (_spec, events) => pty.open(events) }),
      failed: () => settle({ fault: 'its window in tmux was closed', mayHaveRun: true }),
    });
    const deadline = setTimeout(
      () => settle({ fault: 'the shell that starts it does not answer', mayHaveRun: true }),
      TMUX_COMMAND_DEADLINE_MS,
    );
    return pty;
  }

  #sessionOf({ leader }: Pane): Session {
    return { leader, startedAt: this.#deps.startedAt(leader) };
  }

  /** Ends a program that has no terminal, also if it ignores its hangup. */
  #end(pane: Pane, session = this.#sessionOf(pane)): void {
    this.#hangUp(pane, session);
    this.#deps.kill(session);
  }

  /** Ends the process that tmux has started in the pane, upon which tmux closes the pane. `last`: the window it was in. */
  #hangUp({ window }: Pane, session: Session, last = window): void {
    hangUp(session, this.#deps);
    setTimeout(() => this.#clear(window, last, session), TMUX_WINDOW_DEADLINE_MS);
  }

  /**
   * Kills a window that stays open because a person has added a pane to it, unless it holds another terminal. A person's
   * own window, to which the pane was moved, is only taken out of the hub again.
   */
  #clear(window: number, last: number, session: Session): void {
    const isOver = (each: number) => this.#panes.inWindow(each).length === 0;
    if (isOver(window)) this.#tell([`kill-window -t @${window}`]);
    if (last !== window && isOver(last)) this.#tell([unlinkFrom(last, this.#hub)]);
    // While its utmp helper runs, tmux misses the ends of its children; the end of another makes it wait for all.
    if (this.#deps.startedAt(session.leader) === session.startedAt) this.#tell(['run-shell -b true']);
  }

  /** Runs commands whose failure does not matter, since it means that there is nothing to end. */
  #tell(commands: string[]): void {
    if (commands.length > 0) this.#client.run(commands, () => {});
  }

  #onClosed(reason: string): void {
    const ptys = this.#panes.all;
    if (ptys.length > 0) this.#deps.log(`tmux has ended with ${ptys.length} terminals in it: ${reason}`);
    for (const pty of ptys) pty.lost();
    this.#killServer();
  }

  /** Kills the server, since it can live on without its client, or hang. */
  #killServer(): void {
    const pid = this.#serverPid();
    this.#server = null;
    if (pid !== null) killServer(pid, this.#deps);
  }

  /** Returns null if the server has ended or is not known to run. */
  #serverPid(): number | null {
    const { leader, startedAt } = this.#server ?? {};
    return leader && startedAt && this.#deps.startedAt(leader) === startedAt ? leader : null;
  }
}

/**
 * Returns whether pastes show control characters instead of sending them, unless an option turns that off: from 3.7 on.
 */
function rewritesPastes(version: string): boolean {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  return major > 3 || (major === 3 && minor >= 7);
}
