import type { Command } from 'commander';
import type { Profile } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { verb } from '../verb.js';

const COLUMNS: readonly Column<Profile>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'PATH', value: ({ path }) => path },
  { title: 'DEFAULT', value: (profile) => (profile.is_default ? 'yes' : '') },
];

/** `auto-terminal profiles`: the shells and programs by which terminals are created. */
export function profiles(context: Context): Command {
  return verb('profiles', 'List the profiles by which terminals are created')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: CommonOptions & FormatOptions) => {
      const rows = await context.client(options).profiles.list({ signal: context.signal });
      await printRows(context, rows, options, { columns: COLUMNS, id: ({ id }) => id, name: 'profiles' });
    });
}

/** `auto-terminal config`: the settings of the service. */
export function config(context: Context): Command {
  return verb('config', 'Print the settings of the service, as JSON').action(
    async (options: CommonOptions) => {
      const settings = await context.client(options).settings.get({ signal: context.signal });
      await context.write(`${JSON.stringify(settings, null, 2)}\n`);
    },
  );
}

/** `auto-terminal layout`: the tabs and panes. */
export function layout(context: Context): Command {
  return verb('layout', 'Print tabs and panes, as JSON').action(async (options: CommonOptions) => {
    const tree = await context.client(options).layout.get({ signal: context.signal });
    await context.write(`${JSON.stringify(tree, null, 2)}\n`);
  });
}
