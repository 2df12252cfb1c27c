import { DEFAULT_MCP_PORT, DEFAULT_SESSION_IDLE_MS, MAX_TIMER_MS } from '../src/contract/limits.js';
import { Port } from '../src/contract/port.js';
import { DEFAULT_SETTINGS, LocalUsersSetting } from '../src/contract/settings.js';
import type { SidecarSettings } from '../src/contract/sidecar.js';

/** An environment variable has an invalid value; the message names the variable. */
export class EnvironmentError extends Error {
  constructor(variable: string, problem: string, options?: ErrorOptions) {
    super(`${variable}: ${problem}`, options);
    this.name = 'EnvironmentError';
  }
}

const DEFAULT_API_URL = 'http://localhost:42031';
const DEFAULT_HOST = '127.0.0.1';

/** Text that can be sent as a header. Excludes, for example, a token read from a file with its line feed. */
const VISIBLE = /^[\x21-\x7e]+$/;

/** Returns the settings of a sidecar that runs alone, from its environment variables. Throws EnvironmentError. */
export function settingsFrom(env: NodeJS.ProcessEnv): SidecarSettings {
  // Shells and compose files leave a variable unset by making it empty.
  const given = (name: string) => env[name] || undefined;
  const sent = (name: string) => headerFrom(name, given(name));
  return {
    host: given('MCP_HOST') ?? DEFAULT_HOST,
    port: portFrom(given('MCP_PORT')),
    apiUrl: originFrom(given('AUTO_TERMINAL_API_URL') ?? DEFAULT_API_URL),
    token: sent('AUTO_TERMINAL_TOKEN') ?? sent('AUTO_TERMINAL_API_TOKEN'),
    instanceId: sent('AUTO_TERMINAL_INSTANCE_ID'),
    allowedOrigins: [],
    localUsers: localUsersFrom(given('MCP_LOCAL_USERS')),
    dashboardPort: 0,
    sessionIdleMs: countFrom('MCP_SESSION_IDLE_MS', given('MCP_SESSION_IDLE_MS')) ?? DEFAULT_SESSION_IDLE_MS,
  };
}

/** Returns the id of the process with which the sidecar must end, if one is given. Throws EnvironmentError. */
export function parentFrom(env: NodeJS.ProcessEnv): number | undefined {
  return countFrom('MCP_PARENT_PID', env.MCP_PARENT_PID || undefined);
}

/** Throws EnvironmentError if `error` means that the address cannot be listened on, else throws `error` itself. */
export function blameHost(host: string, error: unknown): never {
  const syscall = error instanceof Error && 'syscall' in error ? error.syscall : undefined;
  if (syscall !== 'getaddrinfo' && syscall !== 'listen') throw error;
  const options = { cause: error };
  throw new EnvironmentError(
    'MCP_HOST',
    `${JSON.stringify(host)} is not an address of this machine`,
    options,
  );
}

function headerFrom(variable: string, text: string | undefined): string | undefined {
  if (text === undefined || VISIBLE.test(text)) return text;
  // The message does not repeat the text, which may be a secret.
  throw new EnvironmentError(variable, 'must be visible ASCII characters only');
}

function portFrom(text: string | undefined): number {
  if (text === undefined) return DEFAULT_MCP_PORT;
  const parsed = Port.safeParse(/^\d{1,9}$/.test(text) ? Number(text) : Number.NaN);
  if (parsed.success) return parsed.data;
  throw new EnvironmentError(
    'MCP_PORT',
    `must be 0 or a port from 1024 to 65535, not ${JSON.stringify(text)}`,
  );
}

function localUsersFrom(text: string | undefined): LocalUsersSetting {
  if (text === undefined) return DEFAULT_SETTINGS.network.localUsers;
  const parsed = LocalUsersSetting.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new EnvironmentError('MCP_LOCAL_USERS', `must be own or any, not ${JSON.stringify(text)}`);
}

function originFrom(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin = url !== undefined && url.href === `${url.origin}/`;
  if (isOrigin && ['http:', 'https:'].includes(url.protocol)) return url.origin;
  throw new EnvironmentError('AUTO_TERMINAL_API_URL', `must be an origin such as ${DEFAULT_API_URL}`);
}

function countFrom(variable: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= MAX_TIMER_MS) return count;
  throw new EnvironmentError(variable, `must be a whole number of at least 1, not ${JSON.stringify(text)}`);
}
