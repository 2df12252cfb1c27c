import { formatQuoted, quoted } from './words.js';

/** A terminal's window, and the one pane in it. */
export interface Pane {
  pane: number;
  window: number;
  session: string;
  /** Pid of the process that tmux has started in it. */
  leader: number;
  /** Path of the slave of its PTY. */
  terminal: string;
}

export interface WindowSpec {
  /** Name of its session. */
  id: string;
  /** Session that the window is linked into, too. */
  hub: string;
  /** Two words or more: tmux passes a single word to a shell. */
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  cols: number;
  rows: number;
  /** Scrollback in lines. */
  historyLimit: number;
}

const PANE = '#{pane_id} #{window_id} #{session_name} #{pane_pid} #{pane_tty}';

/** Returns commands for a session with one window that runs the program; the second answer is for {@link parsePane}. */
export function windowCommands(spec: WindowSpec): string[] {
  const { id, hub, argv, cwd, cols, rows } = spec;
  const env = Object.entries(spec.env).map(([name, value]) => `-e ${quoted(`${name}=${value}`)}`);
  const size = `-x ${cols} -y ${rows}`;
  const program = argv.map(quoted).join(' ');
  return [
    // Applies to panes that are created from now on.
    `set-option -g history-limit ${spec.historyLimit}`,
    `new-session -d -E -P -F ${quoted(PANE)} -s ${quoted(id)} ${size} -c ${formatQuoted(cwd)} ${env.join(' ')} -- ${program}`,
    // Part of the same line, so that the pane prints nothing before the client, attached to the hub, is notified of it.
    `link-window -d -s ${quoted(`=${id}:`)} -t ${quoted(`=${hub}:`)}`,
    // A person who joins must not resize the window. As an option of the server, this kills a tmux 3.3a.
    `set-option -w -t ${quoted(`=${id}:`)} window-size manual`,
    // Values that a person sets globally must not apply here.
    `set-option -w -t ${quoted(`=${id}:`)} remain-on-exit off`,
    `set-option -t ${quoted(`=${id}:`)} destroy-unattached off`,
  ];
}

export function parsePane(line: string): Pane {
  const [, pane, window, session = '', leader, terminal] =
    /^%(\d+) @(\d+) (\S+) (\d+) (\/\S+)$/.exec(line) ?? [];
  if (terminal === undefined) throw new Error(`tmux answered new-session with ${JSON.stringify(line)}`);
  return { pane: Number(pane), window: Number(window), session, leader: Number(leader), terminal };
}

/** Returns the command whose answer is for {@link parsePlace}. */
export function whereIs(pane: number): string {
  return `display-message -p -t %${pane} '#{window_id} #{window_linked_sessions_list}'`;
}

/** Returns the window that a pane is in, and the sessions that have the window; null if there is no such pane. */
export function parsePlace(line: string): { window: number; sessions: string[] } | null {
  const [, window, sessions = ''] = /^@(\d+) (.*)$/.exec(line) ?? [];
  return window === undefined ? null : { window: Number(window), sessions: sessions.split(',') };
}

/** Returns the size of the pane in a `%layout-change` of its window; null if the layout does not show the pane. */
export function sizeInLayout(layout: string, pane: number): { cols: number; rows: number } | null {
  const [, cols, rows] = new RegExp(`(\\d+)x(\\d+),\\d+,\\d+,${pane}(?!\\d)`).exec(layout) ?? [];
  return cols === undefined ? null : { cols: Number(cols), rows: Number(rows) };
}
