import { CLI } from './cli.js';
import { type Finished, type RunOptions, runNode } from './run-process.js';

/** Runs the command line for the service of a home, as a script would: without a terminal. */
export function command(
  home: string,
  args: readonly string[],
  { env, ...options }: RunOptions = {},
): Promise<Finished> {
  return runNode([CLI, ...args], { cwd: '/', ...options, env: { ...environmentFor(home), ...env } });
}

/** Returns the environment of a command for the service of a home, without variables that name another service. */
export function environmentFor(home: string): NodeJS.ProcessEnv {
  const { AUTO_TERMINAL_API_URL: _url, SERVICE_TERMINAL_ID: _id, ...rest } = process.env;
  return { ...rest, AUTO_TERMINAL_HOME: home };
}

/** The command line, for the service of one home. */
export interface Verbs {
  run(...args: string[]): Promise<Finished>;
  /** Resolves with the standard output; rejects if the command fails. */
  out(...args: string[]): Promise<string>;
  /** Resolves with the standard output as JSON. */
  json<Data>(...args: string[]): Promise<Data>;
  /** Creates a terminal; resolves with its id. */
  create(...args: string[]): Promise<string>;
}

/** @param home - returns the home of the service, which exists only once the tests begin */
export function verbsAt(home: () => string): Verbs {
  const run = (...args: string[]) => command(home(), args);
  const out = async (...args: string[]) => {
    const { code, stdout, stderr } = await run(...args);
    if (code !== 0) throw new Error(`${args.join(' ')}: ${code} ${stderr}`);
    return stdout;
  };
  return {
    ...{ run, out },
    json: async (...args) => JSON.parse(await out(...args, '-o', 'json')),
    create: async (...args) => (await out('new', ...args)).trim(),
  };
}
