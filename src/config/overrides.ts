import { Port } from '../contract/port.js';
import { ConfigError } from './config-error.js';
import type { Flags } from './flags.js';

/** Settings from the command line or the environment, which win over the config file. */
export interface Overrides {
  /** Ports. */
  network?: number | undefined;
  mcp?: number | undefined;
  dashboard?: number | undefined;
  /** Whether the tool server is off, regardless of the config file. */
  isMcpOff?: boolean;
}

export interface OverrideSources {
  flags: Flags;
  env: NodeJS.ProcessEnv;
}

/** Returns the port that the flag names, else the environment variable, else undefined. Throws ConfigError. */
function portFrom(
  { flags, env }: OverrideSources,
  flag: 'port' | 'mcp-port' | 'dashboard-port',
  variable: string,
): number | undefined {
  const fromFlag = flags[flag];
  const [name, text] = fromFlag === undefined ? [variable, env[variable]] : [`--${flag}`, fromFlag];
  // Shells and compose files unset a variable by leaving it empty; an empty flag is a mistake.
  if (text === undefined || (text === '' && fromFlag === undefined)) return undefined;
  const parsed = Port.safeParse(/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${name}: must be 0 or a port from 1024 to 65535, not ${JSON.stringify(text)}`);
}

/** Reads flags, then the environment. Throws ConfigError that names the flag or variable at fault. */
export function overridesOf(sources: OverrideSources): Overrides {
  return {
    network: portFrom(sources, 'port', 'AUTO_TERMINAL_PORT'),
    mcp: portFrom(sources, 'mcp-port', 'MCP_PORT'),
    dashboard: portFrom(sources, 'dashboard-port', 'AUTO_TERMINAL_DASHBOARD_PORT'),
    isMcpOff: sources.flags['no-mcp'],
  };
}
