import { ConfigError } from './config-error.js';
import { readConfigFile } from './config-file.js';
import type { Flags } from './flags.js';
import { type Config, configOf, type Machine, Port } from './settings.js';

export interface ConfigSources {
  flags: Flags;
  env: NodeJS.ProcessEnv;
  /** Path of config.json. */
  configFile: string;
  machine: Machine;
}

/** The port that the flag names, else the environment variable, else undefined. */
function portFrom(
  sources: ConfigSources,
  flag: 'port' | 'mcp-port' | 'dashboard-port',
  variable: string,
): number | undefined {
  const fromFlag = sources.flags[flag];
  const [name, text] = fromFlag === undefined ? [variable, sources.env[variable]] : [`--${flag}`, fromFlag];
  // An empty variable is how shells and compose files leave one unset; an empty flag is a mistake.
  if (text === undefined || (text === '' && fromFlag === undefined)) return undefined;
  const parsed = Port.safeParse(/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${name}: must be 0 or a port from 1024 to 65535, not ${JSON.stringify(text)}`);
}

/** Config file, then environment, then flags. Throws ConfigError that names the file and setting at fault. */
export async function loadConfig(sources: ConfigSources): Promise<Config> {
  const config = configOf(await readConfigFile(sources.configFile), sources.machine);
  if (typeof config === 'string') throw new ConfigError(`${sources.configFile}: ${config}`);
  const port = portFrom(sources, 'port', 'AUTO_TERMINAL_PORT') ?? config.network.port;
  const mcpPort = portFrom(sources, 'mcp-port', 'MCP_PORT') ?? config.mcp.port;
  const dashboardPort =
    portFrom(sources, 'dashboard-port', 'AUTO_TERMINAL_DASHBOARD_PORT') ?? config.dashboard.port;
  return {
    ...config,
    network: { ...config.network, port },
    mcp: { ...config.mcp, port: mcpPort },
    dashboard: { ...config.dashboard, port: dashboardPort },
  };
}
