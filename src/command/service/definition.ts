import { existsSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Paths, resolvePaths } from '../../config/paths.js';
import { CLI, HOST_ENTRY } from '../programs.js';

/** Contents of a service manager's files: programs, folders and variables at the time of writing. */
export interface Definition {
  /** Absolute path of Node. */
  node: string;
  cli: string;
  hostEntry: string;
  paths: Pick<Paths, 'dataFolder' | 'hostSocket'>;
  /** Folder of the user, below which service managers look for their files. */
  home: string;
  /** Folder of the user's configuration, with the same use on Linux. */
  configHome: string;
  env: Readonly<Record<string, string>>;
}

/**
 * Variables that the service needs as they are in the caller's shell. A service manager has its own environment, with a
 * short PATH and often without a locale, and terminals inherit that of the service.
 */
const KEPT = [
  ...['AUTO_TERMINAL_PORT', 'MCP_PORT', 'AUTO_TERMINAL_DASHBOARD_PORT', 'AUTO_TERMINAL_LOG_LEVEL'],
  'AUTO_TERMINAL_CGROUP_ROOT',
  ...['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'PATH', 'LANG', 'LC_ALL', 'LC_CTYPE'],
];

/** Folders in which a package manager replaces Node without a change of its path. */
const LASTING = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/home/linuxbrew/.linuxbrew/bin'];

/** Returns the definition to install for the caller's environment. */
export function definitionFor(env: NodeJS.ProcessEnv): Definition {
  const paths = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  const kept: Record<string, string> = {};
  if (env.AUTO_TERMINAL_HOME) kept.AUTO_TERMINAL_HOME = resolve(env.AUTO_TERMINAL_HOME);
  // The sockets lie in the temporary folder, since the path of the data folder is too long for them.
  if (env.TMPDIR && !paths.runFolder.startsWith(paths.dataFolder)) kept.TMPDIR = env.TMPDIR;
  for (const name of KEPT) {
    const value = env[name];
    if (value) kept[name] = value;
  }
  const home = homedir();
  return {
    ...{ node: lastingNode(process.execPath), cli: CLI, hostEntry: HOST_ENTRY, paths, home, env: kept },
    configHome: env.XDG_CONFIG_HOME || join(home, '.config'),
  };
}

/** Returns the path of this Node that stays the same over updates, if there is one. */
function lastingNode(node: string): string {
  const places = LASTING.map((folder) => join(folder, 'node'));
  return places.find((place) => existsSync(place) && realpathSync(place) === realpathSync(node)) ?? node;
}
