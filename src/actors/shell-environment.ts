import { delimiter } from 'node:path';
import { TERMINAL_ID_VARIABLE } from '../contract/terminal.js';

export interface ShellEnvironmentParts {
  /** What every shell inherits, see {@link inheritedEnvironment}. */
  inherited: Readonly<Record<string, string>>;
  profileEnv: Readonly<Record<string, string>>;
  /** What the creator of the terminal asked for. */
  requestEnv: Readonly<Record<string, string>> | undefined;
  terminalId: string;
  /** Origin of the REST API, for programs in the terminal. */
  apiUrl: string;
}

/** Meant for the service or its sidecar. NODE_OPTIONS is not among them: it is the user's own. */
const PRIVATE: ReadonlySet<string> = new Set([
  'MCP_PORT',
  'MCP_HOST',
  'MCP_PARENT_PID',
  'NODE_CHANNEL_FD',
  'NODE_CHANNEL_SERIALIZATION_MODE',
  'NODE_UNIQUE_ID',
]);

/** What the terminal that the service was started in says about itself: none of it holds for ours. */
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
 * The service's environment less what is not the shell's business. Names of the service's that npm set when it was
 * started by `npm start` are dropped with npm's folders on PATH.
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
 * The environment that a terminal's program starts with. A profile or a request may choose another TERM;
 * which terminal this is, and where its API answers, nobody may change.
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
