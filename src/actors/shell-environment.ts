import { delimiter } from 'node:path';
import { TERMINAL_ID_VARIABLE } from '../contract/terminal.js';

export interface ShellEnvironmentParts {
  /** Variables that every shell inherits, see {@link inheritedEnvironment}. */
  inherited: Readonly<Record<string, string>>;
  profileEnv: Readonly<Record<string, string>>;
  /** Variables that the creator of the terminal asked for. */
  requestEnv: Readonly<Record<string, string>> | undefined;
  terminalId: string;
  /** Origin of the REST API, for programs in the terminal. */
  apiUrl: string;
}

/** Variables meant for the service or its sidecar. NODE_OPTIONS is not among them: it is the user's own. */
const PRIVATE: ReadonlySet<string> = new Set([
  'MCP_PORT',
  'MCP_HOST',
  'MCP_PARENT_PID',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
]);

/** Variables that describe the terminal in which the service was started; they are wrong in the service's terminals. */
const OUTER_TERMINAL: ReadonlySet<string> = new Set([
  'COLUMNS',
  'LINES',
  'STY',
  'TERMCAP',
  'TERM_PROGRAM',
  'TERM_PROGRAM_VERSION',
  'TERM_SESSION_ID',
  'TMUX',
  'TMUX_PANE',
  'VTE_VERSION',
  'WINDOWID',
  'WT_SESSION',
]);

/** Folders that `npm run` puts before the user's PATH. */
const NPM_FOLDER = /[/\\](?:node_modules[/\\]\.bin|node-gyp-bin)$/;

function withoutNpmFolders(path: string): string {
  const folders = path.split(delimiter);
  const own = folders.findIndex((folder) => !NPM_FOLDER.test(folder));
  return folders.slice(Math.max(0, own)).join(delimiter);
}

/**
 * Returns the service's environment without variables that do not concern shells. If the service was started by
 * `npm start`, the variables that npm set and npm's folders on PATH are dropped, too.
 */
export function inheritedEnvironment(service: NodeJS.ProcessEnv): Record<string, string> {
  const underNpm = service.npm_lifecycle_event !== undefined;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(service)) {
    if (value === undefined || PRIVATE.has(name) || OUTER_TERMINAL.has(name)) continue;
    if (name.startsWith('AUTO_TERMINAL_')) continue;
    if (underNpm && (/^npm_/i.test(name) || name === 'INIT_CWD')) continue;
    env[name] = underNpm && name.toUpperCase() === 'PATH' ? withoutNpmFolders(value) : value;
  }
  return env;
}

/**
 * Returns the environment that a terminal's program starts with. A profile or a request may choose another TERM, but
 * not change the terminal's id or the address of its API.
 */
export function shellEnvironment(parts: ShellEnvironmentParts): Record<string, string> {
  return {
    ...parts.inherited,
    TERM: 'xterm-256color',
    COLORTERM: 'truecolor',
    ...parts.profileEnv,
    ...parts.requestEnv,
    [TERMINAL_ID_VARIABLE]: parts.terminalId,
    AUTO_TERMINAL_API_URL: parts.apiUrl,
  };
}
