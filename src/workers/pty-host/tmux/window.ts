import { formatQuoted, quoted } from './words.js';

/** A terminal's window, and the one pane in it. */
export interface Pane {
  pane: number;
  window: number;
  /** Pid of the process that tmux has started in it. */
  leader: number;
  /** Path of the slave of its PTY. */
  terminal: string;
}

export interface WindowSpec {
  /** Name of its session. */
  id: string;
  /** Target of the session that the window is linked into, too. */
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

/** Option of the panes that have terminals. */
export const TERMINAL_MARK = '@auto-terminal';

const PANE = '#{pane_id} #{window_id} #{pane_pid} #{pane_tty}';

/** Returns commands for a session with one window that runs the program; their answers are for {@link paneOf}. */
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
    `link-window -d -s ${quoted(`=${id}:`)} -t ${quoted(hub)}`,
    // A person who joins must not resize the window. As an option of the server, this kills a tmux 3.3a.
    `set-option -w -t ${quoted(`=${id}:`)} window-size manual`,
    // Values that a person sets globally must not apply here.
    `set-option -w -t ${quoted(`=${id}:`)} remain-on-exit off`,
    // A border status would take a row from each pane, and tmux reports that to nobody.
    `set-option -w -t ${quoted(`=${id}:`)} pane-border-status off`,
    `set-option -t ${quoted(`=${id}:`)} destroy-unattached off`,
    `set-option -p -t ${quoted(`=${id}:`)} ${TERMINAL_MARK} 1`,
  ];
}

export function paneOf([, [line = ''] = []]: string[][]): Pane {
  const [, pane, window, leader, terminal] = /^%(\d+) @(\d+) (\d+) (\/\S+)$/.exec(line) ?? [];
  if (terminal === undefined) throw new Error(`tmux answered new-session with ${JSON.stringify(line)}`);
  return { pane: Number(pane), window: Number(window), leader: Number(leader), terminal };
}

/**
 * Returns the name of the session of a start that was given up: its own name may be asked for again.
 *
 * @param start - number of the start, since several of one id may be given up
 */
export function givenUp(id: string, start: number): string {
  return `${id}-given-up-${start}`;
}

/** Returns the command that gives a session this name, if tmux has made or will make it. */
export function givingUp(id: string, name: string): string {
  return `rename-session -t ${quoted(`=${id}:`)} ${quoted(name)}`;
}

/** Returns the commands that end what refused commands have made of a session; none if its name was taken before. */
export function undoing(name: string, fault: string): string[] {
  return fault.startsWith('duplicate') ? [] : [`kill-window -t ${quoted(`=${name}:`)}`];
}

/** Where a pane is. */
interface PanePlace {
  window: number;
  size: { cols: number; rows: number };
  isInHub: boolean;
  /** Whether the window is in a session besides the hub. */
  isElsewhere: boolean;
}

/** Returns the commands whose answers are for {@link parsePlace}; `hub` is a target. */
export function whereIs(pane: number, hub: string): string[] {
  // tmux lists the sessions of a window by their names.
  return [
    `display-message -p -t ${quoted(hub)} '#{session_name}'`,
    `display-message -p -t %${pane} '#{window_id} #{pane_width} #{pane_height} #{window_linked_sessions_list}'`,
  ];
}

/** Returns null if there is no such pane. */
export function parsePlace([[hub = ''] = [], [line = ''] = []]: string[][]): PanePlace | null {
  const [, window, cols, rows, names = ''] = /^@(\d+) (\d+) (\d+) (.*)$/.exec(line) ?? [];
  if (window === undefined) return null;
  const sessions = names.split(',');
  return {
    window: Number(window),
    size: { cols: Number(cols), rows: Number(rows) },
    isInHub: sessions.includes(hub),
    isElsewhere: sessions.some((name) => name !== hub),
  };
}

/** Returns the command that links a window into the hub, a target. */
export function linkInto(window: number, hub: string): string {
  return `link-window -d -s @${window} -t ${quoted(hub)}`;
}

/** Returns the command that takes a window out of the hub, a target, and kills it if it is in no other session. */
export function unlinkFrom(window: number, hub: string): string {
  return `unlink-window -k -t ${quoted(`${hub}@${window}`)}`;
}

/** Returns the panes of a layout. */
export function panesIn(layout: string): ReadonlySet<number> {
  return new Set([...layout.matchAll(/\d+x\d+,\d+,\d+,(\d+)/g)].map(([, pane]) => Number(pane)));
}

/** Returns the size of the pane in the visible layout of its window; null if the layout does not show the pane. */
export function visibleIn(layout: string, pane: number): { cols: number; rows: number } | null {
  const [, cols, rows] = new RegExp(`(\\d+)x(\\d+),\\d+,\\d+,${pane}(?!\\d)`).exec(layout) ?? [];
  return cols === undefined ? null : { cols: Number(cols), rows: Number(rows) };
}
