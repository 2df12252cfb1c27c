import { CLI } from './mcp.js';
import { type Finished, type RunOptions, runNode } from './run-process.js';

/** Runs the command line for the service of a home, as a script would: without a terminal. */
export function command(
  home: string,
  args: readonly string[],
  { env, ...options }: RunOptions = {},
): Promise<Finished> {
  return runNode([CLI, ...args], { cwd: '/', ...options, env: { ...environmentFor(home), ...env } });
}

/** Returns the environment of a command for the service of a home: nothing in it names another service. */
export function environmentFor(home: string): NodeJS.ProcessEnv {
  const { AUTO_TERMINAL_API_URL: _url, SERVICE_TERMINAL_ID: _id, ...rest } = process.env;
  return { ...rest, AUTO_TERMINAL_HOME: home };
}
