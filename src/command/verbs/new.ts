import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CreatedTerminal, CreateOptions, TokenOptions } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { usageError } from '../exit-codes.js';
import { type FormatOptions, OUTPUT, printFacts, QUIET } from '../format.js';
import { ensureService } from '../start-service.js';
import { collect, msOf, secondsOf, verb, verbsOf, wholeNumber } from '../verb.js';

/** Options by which `new` and `run` create a terminal. */
export interface CreationOptions {
  name?: string;
  cwd?: string;
  env?: string[];
  secret?: string[];
  label?: string[];
  profile?: string;
  size?: { cols: number; rows: number };
  backend?: 'pty' | 'tmux';
  queue?: number;
  grant?: TokenOptions['verbs'];
  priority?: number;
  memory?: number;
  pids?: number;
  cpuWeight?: number;
}

/** Adds the options by which a terminal is created. */
export function withCreation(command: Command): Command {
  return command
    .option('-n, --name <name>', 'name of the terminal')
    .option('-C, --cwd <folder>', 'folder to start in; the present one by default')
    .option('-e, --env <name=value>', 'environment variable; may be repeated', collect)
    .option('--secret <name>', 'variable whose value is a secret, see redaction; may be repeated', collect)
    .option('-l, --label <name=value>', 'label; may be repeated, or be several with commas', collect)
    .option('--profile <id>', 'profile to create it by')
    .option('--size <columns>x<rows>', 'size, such as 120x40', sizeOf)
    .addOption(new Option('--backend <backend>', 'what it lives in').choices(['pty', 'tmux']))
    .option(
      '--grant <verbs>',
      'what its program may do in guarded mode, such as read,control; see token',
      verbsOf,
    )
    .option('--queue <seconds>', 'how long to wait in line at a limit of the service', secondsOf)
    .option('--priority <number>', 'place in that line: a higher number first; 0 by default', priorityOf)
    .option('--memory <size>', 'memory that it may use, such as 512MB or 2GiB', bytesOf)
    .option('--pids <number>', 'processes and threads that may run in it at once', wholeNumber)
    .option('--cpu-weight <number>', 'share of the processors; 100 is the usual share', wholeNumber);
}

/** Returns the folder that the command was called in. Throws if it was deleted meanwhile. */
export function presentFolder(): string {
  try {
    return process.cwd();
  } catch {
    throw usageError('The present folder is gone', 'Go to another folder');
  }
}

/** Returns the body of the request that creates a terminal. */
export function creationOf({
  size,
  label = [],
  env = [],
  secret,
  cwd = presentFolder(),
  ...rest
}: CreationOptions): CreateOptions {
  const { name, profile, backend, queue, priority, grant, memory, pids, cpuWeight } = rest;
  const limits = Object.entries({ memoryBytes: memory, pids, cpuWeight }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...{ name, profile, backend, cwd, priority, ...size, ...(secret && { secrets: secret }) },
    ...(grant && { grant: { verbs: grant } }),
    ...(queue !== undefined && { queueMs: msOf(queue) }),
    ...(label.length > 0 && {
      labels: pairsOf(
        label.flatMap((text) => text.split(',')),
        'A label',
      ),
    }),
    ...(env.length > 0 && { env: pairsOf(env, 'An environment variable') }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}

/** `auto-terminal new`: creates a terminal. */
export function create(context: Context): Command {
  return withCreation(verb('new', 'Create a terminal: your shell, or a program with its arguments'))
    .argument('[command...]', 'program and arguments, after --')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .passThroughOptions()
    .action(async (command: string[], options: CommonOptions & FormatOptions & CreationOptions) => {
      // Wrong options are reported before a service is started.
      const body = { ...creationOf(options), ...(command.length > 0 && { command }) };
      await ensureService(context, options);
      const { created } = await context.client(options).terminals.create(body, { signal: context.signal });
      noteIgnored(context, options, created);
      const isPlain = options.output === undefined || options.output === 'table';
      if (isPlain) await context.write(`${created.id}\n`);
      else
        await printFacts(
          context,
          { id: created.id, name: created.name },
          { terminal: created },
          options,
          created.id,
        );
    });
}

/** Prints the options that have no effect: an unknown profile, a limit that cannot be enforced here. */
export function noteIgnored(
  context: Context,
  { profile }: CreationOptions,
  { profile: used, warnings = [] }: CreatedTerminal,
): void {
  if (profile !== undefined && profile !== used)
    context.say(
      `auto-terminal: there is no profile ${profile}; ${used} is used (auto-terminal profiles lists them)`,
    );
  for (const warning of warnings) context.say(`auto-terminal: ${warning}`);
}

const UNITS: Readonly<Record<string, number>> = {
  ...{ '': 1, B: 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3, T: 1024 ** 4 },
  ...{ KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 },
  ...{ KIB: 1024, MIB: 1024 ** 2, GIB: 1024 ** 3, TIB: 1024 ** 4 },
};

/** Parses a number of bytes: 512MB is 512,000,000 and 512MiB or 512M is 536,870,912. */
export function bytesOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?) ?([a-z]*)$/i.exec(text) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  if (number === '' || factor === undefined)
    throw new InvalidArgumentError('It is a number of bytes, such as 512MB, 512MiB or 2G.');
  return Math.floor(Number(number) * factor);
}

function priorityOf(text: string): number {
  if (!/^-?\d{1,4}$/.test(text)) throw new InvalidArgumentError('It is a whole number, such as 5 or -5.');
  return Number(text);
}

function sizeOf(text: string): { cols: number; rows: number } {
  const [, cols, rows] = /^(\d+)x(\d+)$/.exec(text) ?? [];
  if (cols === undefined || rows === undefined) throw new InvalidArgumentError('It has the form 120x40.');
  return { cols: Number(cols), rows: Number(rows) };
}

/** Returns `name=value` texts as an object. */
export function pairsOf(texts: readonly string[], what: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at < 1)
        throw new InvalidArgumentError(`${what} has the form name=value, not ${JSON.stringify(text)}.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
