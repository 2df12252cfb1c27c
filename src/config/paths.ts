import { createHash } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { MAX_SOCKET_PATH_BYTES } from '../contract/limits.js';
import { ConfigError } from './config-error.js';
import { makePrivateFolder } from './private-folder.js';

/** Where the service keeps things; every folder is for its owner alone. */
export interface Paths {
  configFolder: string;
  configFile: string;
  dataFolder: string;
  /** The LMDB store, in a folder of its own that can be renamed aside. */
  storeFolder: string;
  /** Recordings, one file each. */
  recordingsFolder: string;
  /** The search index: LMDB environments of its own, which may be large and are worth less than the store. */
  searchFolder: string;
  /** What lives no longer than the processes: sockets. */
  runFolder: string;
  /** Commands that shells are to run, in a folder for each terminal, named by its id. */
  linesFolder: string;
  /** Unix socket of the pty host, or named pipe on Windows. */
  hostSocket: string;
  /** Name of the socket of this instance's tmux server, as `tmux -L` takes it. */
  tmuxSocket: string;
}

/** Facts of the process that paths depend on. */
export interface PathSources {
  env: NodeJS.ProcessEnv;
  platform: string;
  /** Folder for short socket paths. */
  tmpFolder: string;
}

/** The longest file name that a socket in a run folder gets decides where the folder may lie. */
const SOCKET_NAME = 'pty-host.sock';

/** What people type to join a terminal. */
const TMUX_SOCKET = 'auto-terminal';
const TMUX_KEY_DIGITS = 8;

/**
 * Works out the paths, touching nothing. AUTO_TERMINAL_HOME takes everything under one folder; otherwise the
 * platform's usual ones. A data folder too deep for a socket path gets its run folder under `tmpFolder`, keyed
 * by a hash, so that the next start finds it again. Throws ConfigError when that is too long, too.
 */
export function resolvePaths({ env, platform, tmpFolder }: PathSources): Paths {
  const home = env.AUTO_TERMINAL_HOME ? resolve(env.AUTO_TERMINAL_HOME) : undefined;
  const usual = envPaths('auto-terminal', { suffix: '' });
  const configFolder = home === undefined ? usual.config : join(home, 'config');
  const dataFolder = home === undefined ? usual.data : join(home, 'data');
  const key = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
  const fits = (folder: string) => Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
  const usualRun = join(dataFolder, 'run');
  const runFolder =
    fits(usualRun) || platform === 'win32' ? usualRun : join(tmpFolder, `auto-terminal-${key}`);
  if (platform !== 'win32' && !fits(runFolder)) {
    throw new ConfigError(
      `${runFolder}: too long for a socket; AUTO_TERMINAL_HOME can name a shorter folder`,
    );
  }
  const hostSocket =
    platform === 'win32' ? `\\\\.\\pipe\\auto-terminal-${key}-pty-host` : join(runFolder, SOCKET_NAME);
  return {
    configFolder,
    configFile: join(configFolder, 'config.json'),
    dataFolder,
    storeFolder: join(dataFolder, 'store'),
    recordingsFolder: join(dataFolder, 'recordings'),
    searchFolder: join(dataFolder, 'search'),
    runFolder,
    linesFolder: join(runFolder, 'lines'),
    hostSocket,
    tmuxSocket: isAccounts(env) ? TMUX_SOCKET : `${TMUX_SOCKET}-${key.slice(0, TMUX_KEY_DIGITS)}`,
  };
}

/**
 * Whether the folders are those that the account has by itself. tmux' sockets are the user's, wherever HOME points to:
 * two instances on one of them would end each other's terminals.
 */
function isAccounts(env: NodeJS.ProcessEnv): boolean {
  if (env.AUTO_TERMINAL_HOME || env.XDG_DATA_HOME) return false;
  try {
    return homedir() === userInfo().homedir;
  } catch {
    // The system knows no account of this user.
    return false;
  }
}

/** Makes the folders, each 0700 and the user's own. Throws ConfigError when one cannot be made private. */
export async function preparePaths(paths: Paths): Promise<void> {
  for (const folder of [paths.configFolder, paths.dataFolder, paths.runFolder, paths.recordingsFolder]) {
    await makePrivateFolder(folder);
  }
}
