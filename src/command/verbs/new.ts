import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CreateOptions, TokenOptions } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { type FormatOptions, OUTPUT, printFacts, QUIET } from '../format.js';
import { ensureService } from '../start-service.js';
import { collect, secondsOf, verb, verbsOf } from '../verb.js';

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
    .option('--priority <number>', 'place in that line: a higher number first; 0 by default', priorityOf);
}

/** Returns the body of the request that creates a terminal. */
export function creationOf({
  size,
  label = [],
  env = [],
  secret,
  cwd = process.cwd(),
  ...rest
}: CreationOptions): CreateOptions {
  const { name, profile, backend, queue, priority, grant } = rest;
  return {
    ...{ name, profile, backend, cwd, priority, ...size, ...(secret && { secrets: secret }) },
    ...(grant && { grant: { verbs: grant } }),
    ...(queue !== undefined && { queueMs: Math.round(queue * 1_000) }),
    ...(label.length > 0 && {
      labels: pairsOf(
        label.flatMap((text) => text.split(',')),
        'label',
      ),
    }),
    ...(env.length > 0 && { env: pairsOf(env, 'environment variable') }),
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
      await ensureService(context, options);
      const body = { ...creationOf(options), ...(command.length > 0 && { command }) };
      const { created } = await context.client(options).terminals.create(body, { signal: context.signal });
      noteProfile(context, options, created.profile);
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

/** The service takes the default profile for an id that is none. */
export function noteProfile(context: Context, { profile }: CreationOptions, used: string): void {
  if (profile === undefined || profile === used) return;
  context.say(
    `auto-terminal: there is no profile ${profile}; ${used} is used (auto-terminal profiles lists them)`,
  );
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
        throw new InvalidArgumentError(`A ${what} has the form name=value, not ${JSON.stringify(text)}.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}
