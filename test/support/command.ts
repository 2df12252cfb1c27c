import { fileURLToPath } from 'node:url';
import { type Finished, type RunOptions, runNode } from './run-process.js';

const CLI = fileURLToPath(import.meta.resolve('#dist/cli.js'));

/** Runs the command line for the service of a home, as a script would: without a terminal. */
export function command(
  home: string,
  args: readonly string[],
  { env, ...options }: RunOptions = {},
): Promise<Finished> {
  const { AUTO_TERMINAL_API_URL: _url, SERVICE_TERMINAL_ID: _id, ...rest } = process.env;
  return runNode([CLI, ...args], {
    cwd: '/',
    ...options,
    env: { ...rest, AUTO_TERMINAL_HOME: home, ...env },
  });
}
