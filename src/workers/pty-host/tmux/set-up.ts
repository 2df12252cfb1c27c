import type { TmuxHome } from '../../../contract/host-protocol.js';
import { TERMINAL_MARK } from './window.js';
import { quoted } from './words.js';

/** Variables that the server and its client are started with, and that no program must inherit from them. */
const INHERITED = ['PATH', 'HOME', 'TMUX_TMPDIR'] as const;

/** Place of our hooks in the list that tmux has of each; people are not likely to use it. */
const HOOK = 7779;

/** Events of a window to which a pane has been moved. */
const LINKING = ['window-linked', 'window-layout-changed'];

/** Locale of the client: without UTF-8, tmux prints other characters than ASCII as underscores. */
const LOCALE = { LC_CTYPE: 'C.UTF-8' };

/**
 * Returns the name of the session that the client is attached to, and that every terminal's window is linked into: tmux
 * notifies a client in control mode only about the windows of its own session.
 */
export function hubOf(hostPid: number): string {
  return `auto-terminal-host-${hostPid}`;
}

/**
 * Returns arguments that start the server, if none runs, without any user's configuration, and attach a client in
 * control mode.
 *
 * @param program - what the hub's own window runs
 */
export function clientArguments({ socketName }: TmuxHome, hub: string, program: readonly string[]): string[] {
  const server = ['-u', '-L', socketName, '-f', '/dev/null', '-C'];
  return [...server, 'new-session', '-s', hub, '-x', '80', '-y', '24', '--', ...program];
}

export function clientEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = INHERITED.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), ...LOCALE };
}

/** Returns the commands that set the server up, each for a line of its own: older versions do not know all of them. */
export function setUpCommands(hub: string): string[] {
  const inherited = [...INHERITED, ...Object.keys(LOCALE)];
  return [
    ...inherited.map((name) => `set-environment -g -u ${name}`),
    'set-option -g status off',
    'set-option -g default-terminal xterm-256color',
    'set-option -s exit-empty off',
    'set-option -s escape-time 0',
    'set-option -wg automatic-rename off',
    'set-option -wg allow-rename off',
    'set-option -wg aggressive-resize off',
    // Gives the terminals of people who join these features, so that what a program asks for reaches them.
    `set-option -as terminal-features ${quoted(',*:RGB:ccolour:cstyle:focus:title:usstyle')}`,
    `set-option -asq terminal-features ${quoted(',*:hyperlinks')}`,
    // All terminals share the server's buffers: a query of one terminal would be answered with text that another has
    // copied.
    'set-option -s set-clipboard off',
    'set-option -s focus-events on',
    'set-option -sq extended-keys on',
    'set-option -wgq allow-passthrough on',
    ...linkingHooks(hub),
    // tmux does not notify clients of a pane that stays open after its end (remain-on-exit), nor of changes that a hook
    // makes by itself.
    `set-hook -g pane-died[${HOOK}] ${quoted(`if-shell -F '#{${TERMINAL_MARK}}' "run-shell -bC 'kill-pane -t #{pane_id}'"`)}`,
    // The hub is found by its name: by the hooks, and by each start.
    `set-hook -t ${quoted(`=${hub}:`)} session-renamed ${quoted(`rename-session ${hub}`)}`,
  ];
}

/**
 * Returns commands by which tmux itself links a window into the hub when people move a terminal's pane to it: at once,
 * since it drops output that is under way to a client in none of the window's sessions, and reports neither later
 * output nor the end to that client.
 */
function linkingHooks(hub: string): string[] {
  const isMissing = `#{?#{m:*${hub}*,#{window_linked_sessions_list}},0,1}`;
  const link = `if-shell -F '#{&&:#{P:#{${TERMINAL_MARK}}},${isMissing}}' 'link-window -d -t =${hub}:'`;
  return LINKING.map((event) => `set-hook -g ${event}[${HOOK}] ${quoted(link)}`);
}
