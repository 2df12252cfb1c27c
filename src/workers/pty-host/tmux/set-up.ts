import type { TmuxHome } from '../../../contract/host-protocol.js';
import { quoted } from './words.js';

/** What the server and its client are started with, and what no program is to inherit by that. */
const INHERITED = ['PATH', 'HOME', 'TMUX_TMPDIR'] as const;

/** The client's: what is not UTF-8 in its locale comes out of tmux as underscores. */
const LOCALE = { LC_CTYPE: 'C.UTF-8' };

/** Clients in control mode have no terminal that they could be named by: one that is left may well be the host's. */
const END_WITH_HOST = "if-shell -F '#{m:*client-*,#{session_attached_list}}' '' kill-server";

/**
 * Of the session that the client is attached to, and that every terminal's window is linked into: what tmux tells a
 * client in control mode is about its own session's windows. Its own window does nothing.
 */
export function hubOf(hostPid: number): string {
  return `auto-terminal-host-${hostPid}`;
}

/** Starts the server, where none runs, without anybody's configuration, and attaches a client in control mode. */
export function clientArguments({ socketName }: TmuxHome, hub: string): string[] {
  const server = ['-u', '-L', socketName, '-f', '/dev/null', '-C'];
  return [...server, 'new-session', '-s', hub, '-x', '80', '-y', '24', '--', 'sleep', '2147483647'];
}

export function clientEnvironment(env: NodeJS.ProcessEnv): Record<string, string> {
  const own = INHERITED.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), ...LOCALE };
}

/** What the server is set to, each on a line of its own: older versions do not know all of it. */
export function setUpCommands(hub: string): string[] {
  const inherited = [...INHERITED, ...Object.keys(LOCALE)];
  return [
    ...inherited.map((name) => `set-environment -g -u ${name}`),
    // With the host the terminals end, as PTYs would; not when a person who has looked at this session leaves it.
    `set-hook -t ${quoted(`=${hub}:`)} client-detached ${quoted(END_WITH_HOST)}`,
    'set-option -g status off',
    'set-option -g default-terminal xterm-256color',
    'set-option -s exit-empty off',
    'set-option -s escape-time 0',
    'set-option -wg automatic-rename off',
    'set-option -wg allow-rename off',
    'set-option -wg aggressive-resize off',
    // For the terminals of people who join: what a program asks for reaches them.
    `set-option -as terminal-features ${quoted(',*:RGB:ccolour:cstyle:focus:title:usstyle')}`,
    `set-option -asq terminal-features ${quoted(',*:hyperlinks')}`,
    // All terminals share the server's buffers: a query of one would be answered with what another has copied.
    'set-option -s set-clipboard off',
    'set-option -s focus-events on',
    'set-option -sq extended-keys on',
    'set-option -wgq allow-passthrough on',
  ];
}
