import { createHash } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { MAX_SOCKET_PATH_BYTES } from '../contract/limits.js';
import { ConfigError } from './config-error.js';
import { makePrivateFolder } from './private-folder.js';
import { rememberedRunFolder, rememberRunFolder } from './run-link.js';

/** Folders and files of the service; only their owner can access a folder. */
export interface Paths {
  configFolder: string;
  configFile: string;
  dataFolder: string;
  /** The formats that the parts of the data folder are written in; see `state-formats.ts`. */
  formatsFile: string;
  /** The LMDB store, in a folder of its own that can be renamed aside. */
  storeFolder: string;
  /** Requests with an Idempotency-Key that the store does not have yet. */
  operationsJournal: string;
  /** Recordings, one file each. */
  recordingsFolder: string;
  /** Folder of the search index, whose LMDB environments may be large and are worth less than the store. */
  searchFolder: string;
  /** The key with which secrets are hashed; exists once something had to be redacted. */
  redactionKeyFile: string;
  /** Folder of the audit log, which exists once there is one. */
  auditFolder: string;
  /** Folder of the fleet over machines, which exists once this machine is in one. */
  fleetFolder: string;
  /** Folder for files that live no longer than the processes, such as sockets. */
  runFolder: string;
  /** Link in the data folder that names the run folder; undefined where that lies in the data folder. */
  runLink: string | undefined;
  /** Commands that shells are to run, in a folder for each terminal, named by the terminal's id. */
  linesFolder: string;
  /** Unix socket of the pty host, or named pipe on Windows. */
  hostSocket: string;
  /** Unix socket of the API; undefined on Windows, where the folder of a socket keeps nobody out. */
  apiSocket: string | undefined;
  /** How programs of the same user reach the running service. */
  serviceFile: string;
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

/** The longest name of a socket in the run folder, which limits the length of the folder's path. */
const SOCKET_NAME = 'pty-host.sock';

const API_SOCKET = 'api.sock';

/** Name that people type to join a terminal with `tmux -L`. */
const TMUX_SOCKET = 'auto-terminal';
const TMUX_KEY_DIGITS = 8;

/**
 * Returns the paths, and changes nothing. AUTO_TERMINAL_HOME moves all of them under one folder; otherwise they are the
 * platform's usual paths. A data folder whose path is too long for a socket gets its run folder under `tmpFolder`, keyed
 * by a hash. A link in the data folder names it from the first start on, so that later starts and commands use the same,
 * whatever their `tmpFolder`. Throws ConfigError if that path is too long, too.
 */
export function resolvePaths({ env, platform, tmpFolder }: PathSources): Paths {
  const home = env.AUTO_TERMINAL_HOME ? resolve(env.AUTO_TERMINAL_HOME) : undefined;
  const usual = envPaths('auto-terminal', { suffix: '' });
  const configFolder = home === undefined ? usual.config : join(home, 'config');
  const dataFolder = home === undefined ? usual.data : join(home, 'data');
  const key = createHash('sha256').update(dataFolder).digest('hex').slice(0, 16);
  const fits = (folder: string) => Buffer.byteLength(join(folder, SOCKET_NAME)) <= MAX_SOCKET_PATH_BYTES;
  const usualRun = join(dataFolder, 'run');
  const isElsewhere = !fits(usualRun) && platform !== 'win32';
  // Named by the path, since a data folder that is moved or copied takes its links along.
  const runLink = isElsewhere ? join(dataFolder, `run-${key}`) : undefined;
  const runFolder =
    runLink === undefined
      ? usualRun
      : (rememberedRunFolder(runLink) ?? join(tmpFolder, `auto-terminal-${key}`));
  if (platform !== 'win32' && !fits(runFolder)) {
    throw new ConfigError(
      `${runFolder}: path is too long for a socket; set AUTO_TERMINAL_HOME to a shorter folder`,
    );
  }
  const hostSocket =
    platform === 'win32' ? `\\\\.\\pipe\\auto-terminal-${key}-pty-host` : join(runFolder, SOCKET_NAME);
  return {
    configFolder,
    configFile: join(configFolder, 'config.json'),
    dataFolder,
    formatsFile: join(dataFolder, 'formats.json'),
    storeFolder: join(dataFolder, 'store'),
    operationsJournal: join(dataFolder, 'operations.journal'),
    recordingsFolder: join(dataFolder, 'recordings'),
    searchFolder: join(dataFolder, 'search'),
    redactionKeyFile: join(dataFolder, 'redaction-key'),
    auditFolder: join(dataFolder, 'audit'),
    fleetFolder: join(dataFolder, 'fleet'),
    runFolder,
    runLink,
    linesFolder: join(runFolder, 'lines'),
    hostSocket,
    apiSocket: platform === 'win32' ? undefined : join(runFolder, API_SOCKET),
    serviceFile: join(runFolder, 'service.json'),
    tmuxSocket: isAccounts(env) ? TMUX_SOCKET : `${TMUX_SOCKET}-${key.slice(0, TMUX_KEY_DIGITS)}`,
  };
}

/**
 * Returns whether the folders are the default ones of the account. tmux keeps its sockets per user, wherever HOME
 * points: two instances that share a socket would end each other's terminals.
 */
function isAccounts(env: NodeJS.ProcessEnv): boolean {
  if (env.AUTO_TERMINAL_HOME || env.XDG_DATA_HOME) return false;
  try {
    return homedir() === userInfo().homedir;
  } catch {
    // The system has no account for this user id.
    return false;
  }
}

/** Creates the folders, each with mode 0700 and owned by the user. Throws ConfigError if a folder cannot be private. */
export async function preparePaths(paths: Paths): Promise<void> {
  for (const folder of [paths.configFolder, paths.dataFolder]) await makePrivateFolder(folder);
  // The link comes first: of two services that start at once, only one may choose the run folder.
  if (paths.runLink !== undefined) await rememberRunFolder(paths.runLink, paths.runFolder);
  for (const folder of [paths.runFolder, paths.recordingsFolder]) await makePrivateFolder(folder);
}
