import type { TmuxHome } from '../../../contract/host-protocol.js';
import {
  TMUX_COMMAND_DEADLINE_MS,
  TMUX_END_DEADLINE_MS,
  TMUX_WINDOW_DEADLINE_MS,
} from '../../../contract/limits.js';
import { shortenTimeSlice } from '../../time-slice.js';
import { hangUp, type Session } from '../killer.js';
import type { Libc } from '../libc.js';
import { hasEnded } from '../process-end.js';
import type { OpenPty } from '../pty-port.js';
import type { PtySpec } from '../starter.js';
import { openLastTerminalFile } from '../terminal-file.js';
import { ControlClient } from './control-client.js';
import { Freezer } from './freezer.js';
import { Holds } from './holds.js';
import { Panes } from './panes.js';
import { clientArguments, clientEnvironment, hubOf, setUpCommands } from './set-up.js';
import { TmuxPty } from './tmux-pty.js';
import { type Pane, parsePane, parsePlace, whereIs, windowCommands } from './window.js';
import { quoted } from './words.js';
import { environmentFor } from './wrapped-environment.js';
import { type WrapperTools, wrapped } from './wrapper.js';

export interface TmuxDeps {
  libc: Libc;
  tools: WrapperTools;
  log(message: string): void;
  startedAt(pid: number): string | null;
  /** Ends what is left of a session whose terminal was not wanted any more. */
  kill(session: Session): void;
}

/** A program's terminal in tmux, which `openPty` must be called for at once; or in words why there is none. */
export type TmuxReady = { openPty: OpenPty } | { fault: string };

/** `%window-close @4`, and the same of one that has been taken out of the hub before. */
const WINDOW_CLOSED = /^%(?:unlinked-)?window-close @(\d+)/;
/** The layout that is shown, which a zoomed pane has to itself. */
const LAYOUT_CHANGED = /^%layout-change @(\d+) \S+ (\S+)/;

/** One life of the tmux server: the client that is attached to it, and the terminals in it. */
export class TmuxConnection {
  /** Resolves when the server or the client has ended; all terminals have been told by then. */
  readonly closed: Promise<void>;
  readonly #deps: TmuxDeps;
  readonly #hub = hubOf(process.pid);
  readonly #client: ControlClient;
  readonly #panes = new Panes();
  readonly #holds: Holds;
  #server: Session | null = null;
  #pasteFlags = '';

  constructor(home: TmuxHome, deps: TmuxDeps) {
    this.#deps = deps;
    let onClosed = () => {};
    this.closed = new Promise((resolve) => {
      onClosed = resolve;
    });
    this.#client = new ControlClient(
      {
        file: home.file,
        args: clientArguments(home, this.#hub),
        env: clientEnvironment(process.env),
        log: deps.log,
      },
      {
        output: (pane, bytes) => this.#panes.output(pane, bytes),
        notice: (line) => this.#notice(line),
        closed: (reason) => {
          this.#onClosed(reason);
          onClosed();
        },
      },
    );
    const freezer = new Freezer({ pid: () => this.#serverPid(), log: deps.log });
    this.#holds = new Holds(this.#client, freezer);
  }

  /** Sets the server up; false for one that others live in. Rejects when it can not be had. */
  async greet(): Promise<boolean> {
    const [sessions = [], [facts = ''] = []] = await this.#client.ask([
      "list-sessions -F '#{session_name}'",
      "display-message -p '#{pid} #{version}'",
    ]);
    const [pid = '', version = ''] = facts.split(' ');
    this.#server = { leader: Number(pid), startedAt: this.#deps.startedAt(Number(pid)) };
    // Where another host's terminals have ended, its hub is the only session, and this one's may not be there yet.
    if (sessions.some((name) => name !== this.#hub)) return false;
    this.#pasteFlags = rewritesPastes(version) ? '-S' : '';
    for (const command of setUpCommands(this.#hub)) await this.#client.ask([command]);
    // Both are on the way of each keystroke and of all output.
    for (const each of [Number(pid), this.#client.pid]) shortenTimeSlice(each);
    return true;
  }

  /** Starts a program in a window of its own; see {@link TmuxReady}. */
  start(spec: PtySpec & { id: string }, historyLimit: number, done: (ready: TmuxReady) => void): void {
    const { id, cwd, cols, rows } = spec;
    const { argv, nonce } = wrapped(spec, this.#deps.tools);
    const env = environmentFor(spec);
    const commands = windowCommands({ id, hub: this.#hub, argv, env, cwd, cols, rows, historyLimit });
    this.#panes.startBegins();
    this.#client.run(commands, (answer) => {
      if ('fault' in answer) {
        // What it has got to, or gets to yet; of both sessions that the window may be in.
        if (!answer.fault.startsWith('duplicate')) this.#tell([`kill-window -t ${quoted(`=${id}:`)}`]);
        done({ fault: `tmux: ${answer.fault}` });
      } else {
        this.#follow(parsePane(answer.lines[1]?.[0] ?? ''), { nonce, size: { cols, rows } }, done);
      }
      this.#panes.startEnds();
    });
  }

  /** Ends the server and all that is in it. Resolves when its process has ended: until then its socket takes clients. */
  async stop(): Promise<void> {
    const server = this.#serverPid();
    const late = setTimeout(() => {
      this.#killServer();
      this.#client.close();
    }, TMUX_END_DEADLINE_MS);
    // What is being started is to be known by then: its processes may not end with the server.
    await Promise.race([this.#panes.idle(), this.closed]);
    this.#tell(['kill-server']);
    await this.closed;
    clearTimeout(late);
    if (server !== null) await hasEnded(server, TMUX_END_DEADLINE_MS);
  }

  #follow(
    pane: Pane,
    { nonce, size }: { nonce: string; size: { cols: number; rows: number } },
    done: (ready: TmuxReady) => void,
  ): void {
    const session = this.#sessionOf(pane);
    let fd: number;
    try {
      this.#panes.mustBeWhole(pane.pane);
      fd = openLastTerminalFile(pane.terminal, this.#deps.libc);
    } catch (error) {
      this.#hangUp(pane, session);
      this.#deps.kill(session);
      done({ fault: error instanceof Error ? error.message : String(error) });
      return;
    }
    this.#panes.add(this.#ptyOf(pane, { fd, nonce, size }, session, done));
  }

  #ptyOf(
    pane: Pane,
    parts: ConstructorParameters<typeof TmuxPty>[1],
    session: Session,
    done: (ready: TmuxReady) => void,
  ): TmuxPty {
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
        this.#panes.remove(pty);
        this.#hangUp(pane, session);
      },
      started: () => settle({ openPty: (_spec, events) => pty.open(events) }),
      failed: () => settle({ fault: 'its window in tmux was closed' }),
    });
    const deadline = setTimeout(
      () => settle({ fault: 'the shell that starts it does not answer' }),
      TMUX_COMMAND_DEADLINE_MS,
    );
    return pty;
  }

  #sessionOf({ leader }: Pane): Session {
    return { leader, startedAt: this.#deps.startedAt(leader) };
  }

  #notice(line: string): void {
    const closed = WINDOW_CLOSED.exec(line);
    for (const pty of closed ? this.#panes.inWindow(Number(closed[1])) : []) this.#lookFor(pty);
    const [, changed, layout = ''] = LAYOUT_CHANGED.exec(line) ?? [];
    for (const pty of changed ? this.#panes.inWindow(Number(changed)) : []) pty.layoutChanged(layout);
  }

  /** Its window has been closed, or taken out of a session; the pane may be in another one by now. */
  #lookFor(pty: TmuxPty): void {
    this.#client.run([whereIs(pty.pane.pane)], (answer) => {
      const known = this.#panes.placeOf(pty);
      if (!known) return;
      const found = 'lines' in answer ? parsePlace(answer.lines[0]?.[0] ?? '') : null;
      if (!found || (found.window === known.window && !found.sessions.includes(known.session))) {
        pty.lost();
        return;
      }
      const session = found.sessions.find((name) => name !== this.#hub) ?? this.#hub;
      if (found.window !== known.window) this.#panes.moved(pty, { window: found.window, session });
    });
  }

  /** Ends what tmux has started in the pane, at which tmux closes that. */
  #hangUp({ window }: Pane, session: Session): void {
    hangUp(session, this.#deps);
    setTimeout(() => this.#clear(window, session), TMUX_WINDOW_DEADLINE_MS);
  }

  /** A window stays where somebody has made another pane in it; another terminal's may have been moved there, too. */
  #clear(window: number, session: Session): void {
    if (this.#panes.inWindow(window).length === 0) this.#tell([`kill-window -t @${window}`]);
    // While its helper for utmp runs, tmux is deaf to the ends of its children: another's has it wait for all of them.
    if (this.#deps.startedAt(session.leader) === session.startedAt) this.#tell(['run-shell -b true']);
  }

  /** Runs what may well fail: that there is nothing to be ended is as good. */
  #tell(commands: string[]): void {
    this.#client.run(commands, () => {});
  }

  #onClosed(reason: string): void {
    const ptys = this.#panes.all;
    if (ptys.length > 0) this.#deps.log(`tmux has ended with ${ptys.length} terminals in it: ${reason}`);
    for (const pty of ptys) pty.lost();
    this.#killServer();
  }

  /** It can live on though its client has gone, or hang. */
  #killServer(): void {
    const pid = this.#serverPid();
    this.#server = null;
    if (pid !== null) process.kill(pid, 'SIGKILL');
  }

  /** Null where it has ended, or is not known to run. */
  #serverPid(): number | null {
    const { leader, startedAt } = this.#server ?? {};
    return leader && startedAt && this.#deps.startedAt(leader) === startedAt ? leader : null;
  }
}

/** From 3.7 on a paste shows control characters instead, unless it is told not to. */
function rewritesPastes(version: string): boolean {
  const [, major = 0, minor = 0] = /(\d+)\.(\d+)/.exec(version)?.map(Number) ?? [];
  return major > 3 || (major === 3 && minor >= 7);
}
