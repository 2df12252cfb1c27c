import { parseArgs } from 'node:util';
import { ConfigError } from './config-error.js';

/** The command line; only its syntax has been checked. */
export interface Flags {
  help: boolean;
  version: boolean;
  port?: string;
  'mcp-port'?: string;
  'dashboard-port'?: string;
  'no-mcp': boolean;
  /** The service manager that has started the service and starts it again. */
  'managed-by'?: string;
}

/** Service managers for which `auto-terminal service install` writes files. */
const MANAGERS = ['systemd', 'launchd'];

export const HELP = `Usage: auto-terminal [options]           the service
       auto-terminal mcp [--stdio]       the MCP server alone; see auto-terminal mcp --help

  --port <n>            port of the REST and WebSocket API (42031; 0: any free port)
  --mcp-port <n>        port of the MCP server (42032)
  --dashboard-port <n>  port of the browser dashboard (42030)
  --no-mcp              do not start the MCP server
  --managed-by <name>   systemd or launchd, as auto-terminal service install writes it
  --help                show this help
  --version             show the version

Environment: AUTO_TERMINAL_PORT, MCP_PORT, AUTO_TERMINAL_DASHBOARD_PORT; AUTO_TERMINAL_HOME puts all of the
service's state under one folder. Flags override the environment, which overrides the config file.
AUTO_TERMINAL_LOG_LEVEL is the level of the log on stderr: trace, debug, info, warn, error, fatal or silent (info).
`;

/** Options of verbs, which some programs take before theirs. */
const OF_VERBS = ['--url', '--socket', '--token-file', '--machine'];

/** Returns the advice for a wrong argument. Without a verb, options are options of the service. */
function hintFor(reason = ''): string {
  const option = OF_VERBS.find((name) => reason.includes(`'${name}'`));
  return option === undefined
    ? '--help shows the options'
    : `it goes behind the verb: auto-terminal VERB ${option} ...`;
}

/** Flags that a change of the settings can replace while the service runs. */
export type SettingFlag = 'port' | 'mcp-port' | 'dashboard-port' | 'no-mcp';

const TEXT = { type: 'string' } as const;
const FLAG = { type: 'boolean', default: false } as const;
const PORTS = { port: TEXT, 'mcp-port': TEXT, 'dashboard-port': TEXT };
const OPTIONS = { help: FLAG, version: FLAG, ...PORTS, 'no-mcp': FLAG, 'managed-by': TEXT };

/** Parses the arguments after the program's name. Throws ConfigError for an unknown or incomplete argument. */
export function parseFlags(argv: readonly string[]): Flags {
  let flags: Flags;
  try {
    flags = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new ConfigError(`${reason} (${hintFor(reason)})`, { cause: error });
  }
  const manager = flags['managed-by'];
  if (manager !== undefined && !MANAGERS.includes(manager))
    throw new ConfigError(`--managed-by: must be ${MANAGERS.join(' or ')}, not ${JSON.stringify(manager)}`);
  return flags;
}

/** Returns the arguments, which must be right, without these flags and their values. */
export function withoutFlags(argv: readonly string[], flags: ReadonlySet<SettingFlag>): string[] {
  const { tokens } = parseArgs({ args: [...argv], options: OPTIONS, allowPositionals: false, tokens: true });
  const removed = new Set<number>();
  for (const token of tokens) {
    if (token.kind !== 'option' || !flags.has(token.name as SettingFlag)) continue;
    removed.add(token.index);
    if (token.value !== undefined && !token.inlineValue) removed.add(token.index + 1);
  }
  return argv.filter((_, index) => !removed.has(index));
}
