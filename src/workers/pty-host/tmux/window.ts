import { formatQuoted, quoted } from './words.js';

/** A terminal's window, and the one pane in it. */
export interface Pane {
  pane: number;
  window: number;
  session: string;
  /** Pid of what tmux has started in it. */
  leader: number;
  /** Path of the slave of its PTY. */
  terminal: string;
}

export interface WindowSpec {
  /** Its session's name. */
  id: string;
  /** Linked into this session, too. */
  hub: string;
  /** Two words or more: tmux hands a single one to a shell. */
  argv: readonly string[];
  env: Readonly<Record<string, string>>;
  cwd: string;
  cols: number;
  rows: number;
  /** Lines. */
  historyLimit: number;
}

const PANE = '#{pane_id} #{window_id} #{session_name} #{pane_pid} #{pane_tty}';

/** A session with one window that runs the program; the second answer is for {@link parsePane}. */
export function windowCommands(spec: WindowSpec): string[] {
  const { id, hub, argv, cwd, cols, rows } = spec;
  const env = Object.entries(spec.env).map(([name, value]) => `-e ${quoted(`${name}=${value}`)}`);
  const size = `-x ${cols} -y ${rows}`;
  const program = argv.map(quoted).join(' ');
  return [
    // Holds for panes that are made from now on.
    `set-option -g history-limit ${spec.historyLimit}`,
    `new-session -d -E -P -F ${quoted(PANE)} -s ${quoted(id)} ${size} -c ${formatQuoted(cwd)} ${env.join(' ')} -- ${program}`,
    // On the same line, so that nothing is printed before anybody hears of it.
    `link-window -d -s ${quoted(`=${id}:`)} -t ${quoted(`=${hub}:`)}`,
    // Not as a server's option: that kills a tmux 3.3a. A person who joins does not resize it by that.
    `set-option -w -t ${quoted(`=${id}:`)} window-size manual`,
    // What somebody sets for all is not for these.
    `set-option -w -t ${quoted(`=${id}:`)} remain-on-exit off`,
    `set-option -t ${quoted(`=${id}:`)} destroy-unattached off`,
  ];
}

export function parsePane(line: string): Pane {
  const [, pane, window, session = '', leader, terminal] =
    /^%(\d+) @(\d+) (\S+) (\d+) (\/\S+)$/.exec(line) ?? [];
  if (terminal === undefined) throw new Error(`tmux answers new-session by ${JSON.stringify(line)}`);
  return { pane: Number(pane), window: Number(window), session, leader: Number(leader), terminal };
}

/** The command whose answer is for {@link parsePlace}. */
export function whereIs(pane: number): string {
  return `display-message -p -t %${pane} '#{window_id} #{window_linked_sessions_list}'`;
}

/** The window that a pane is in, and the sessions that have it; null where there is no such pane. */
export function parsePlace(line: string): { window: number; sessions: string[] } | null {
  const [, window, sessions = ''] = /^@(\d+) (.*)$/.exec(line) ?? [];
  return window === undefined ? null : { window: Number(window), sessions: sessions.split(',') };
}

/** Size of the pane in what `%layout-change` says of its window; null where the layout does not show it. */
export function sizeInLayout(layout: string, pane: number): { cols: number; rows: number } | null {
  const [, cols, rows] = new RegExp(`(\\d+)x(\\d+),\\d+,\\d+,${pane}(?!\\d)`).exec(layout) ?? [];
  return cols === undefined ? null : { cols: Number(cols), rows: Number(rows) };
}
