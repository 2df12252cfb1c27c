import type { Command } from 'commander';
import type { Profile } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { collect, verb } from '../verb.js';
import { pairsOf } from './new.js';

interface AddOptions extends CommonOptions {
  path: string;
  arg?: string[];
  env?: string[];
  cwd?: string;
  icon?: string;
}

const COLUMNS: readonly Column<Profile>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'PATH', value: ({ path }) => path },
  { title: 'DEFAULT', value: (profile) => (profile.is_default ? 'yes' : '') },
  { title: 'ARGS', value: ({ args }) => args.join(' '), wide: true },
  { title: 'ENV', value: ({ env }) => Object.keys(env).join(','), wide: true },
  { title: 'CWD', value: ({ cwd }) => cwd ?? '', wide: true },
];

/** `auto-terminal profiles`: the shells and programs by which terminals are created. */
export function profiles(context: Context): Command {
  return verb('profiles', 'List the profiles by which terminals are created')
    .enablePositionalOptions()
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: CommonOptions & FormatOptions) => {
      const rows = await context.client(options).profiles.list({ signal: context.signal });
      await printRows(context, rows, options, { columns: COLUMNS, id: ({ id }) => id, name: 'profiles' });
    })
    .addCommand(add(context))
    .addCommand(remove(context));
}

function add(context: Context): Command {
  return verb('add', 'Add a profile, and print its id')
    .argument('<name>', 'name of the profile')
    .requiredOption('--path <program>', 'the program to run')
    .option(
      '--arg <argument>',
      'argument of the program; may be repeated; --arg=-x for one with a hyphen',
      collect,
    )
    .option('-e, --env <name=value>', 'environment variable; may be repeated', collect)
    .option('-C, --cwd <folder>', 'folder to start in; the home folder by default')
    .option('--icon <icon>', 'icon that user interfaces show')
    .action(async (name: string, { path, arg, env = [], cwd, icon, ...options }: AddOptions) => {
      const body = { name, path, args: arg, env: pairsOf(env, 'An environment variable'), cwd, icon };
      const id = await context.client(options).profiles.create(body, { signal: context.signal });
      await context.write(`${id}\n`);
    });
}

function remove(context: Context): Command {
  return verb('rm', 'Delete profiles that were added')
    .argument('<ids...>', 'ids of profiles')
    .action(async (ids: string[], options: CommonOptions) => {
      const client = context.client(options);
      await inEach(context, ids, 'deleted', (id) => client.profiles.delete(id, { signal: context.signal }));
    });
}
