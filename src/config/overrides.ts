import { Port } from '../contract/settings.js';
import { ConfigError } from './config-error.js';
import type { Flags } from './flags.js';

/** What the command line or the environment say; it stands over the config file. */
export interface Overrides {
  /** Ports. */
  network?: number | undefined;
  mcp?: number | undefined;
  dashboard?: number | undefined;
  /** The tool server is off, whatever the file says. */
  isMcpOff?: boolean;
}

export interface OverrideSources {
  flags: Flags;
  env: NodeJS.ProcessEnv;
}

/** The port that the flag names, else the environment variable, else undefined. */
function portFrom(
  { flags, env }: OverrideSources,
  flag: 'port' | 'mcp-port' | 'dashboard-port',
  variable: string,
): number | undefined {
  const fromFlag = flags[flag];
  const [name, text] = fromFlag === undefined ? [variable, env[variable]] : [`--${flag}`, fromFlag];
  // An empty variable is how shells and compose files leave one unset; an empty flag is a mistake.
  if (text === undefined || (text === '' && fromFlag === undefined)) return undefined;
  const parsed = Port.safeParse(/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${name}: must be 0 or a port from 1024 to 65535, not ${JSON.stringify(text)}`);
}

/** Reads flags, then environment. Throws ConfigError that names the one at fault. */
export function overridesOf(sources: OverrideSources): Overrides {
  return {
    network: portFrom(sources, 'port', 'AUTO_TERMINAL_PORT'),
    mcp: portFrom(sources, 'mcp-port', 'MCP_PORT'),
    dashboard: portFrom(sources, 'dashboard-port', 'AUTO_TERMINAL_DASHBOARD_PORT'),
    isMcpOff: sources.flags['no-mcp'],
  };
}
