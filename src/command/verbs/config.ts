import { type Command, Option } from 'commander';
import type { SettingsAnswer, SettingsChange } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { printJson } from '../format.js';
import { changeOf, parsedValue, settingAt } from '../setting-paths.js';
import { verb } from '../verb.js';

type Options = CommonOptions & { reveal?: boolean };

const REVEAL = new Option('--reveal', 'show the token, too');

/** `auto-terminal config`: the settings of the service. */
export function config(context: Context): Command {
  return verb('config', 'Print the settings of the service, as JSON')
    .enablePositionalOptions()
    .addOption(REVEAL)
    .action(async (options: Options) => printJson(context, await settings(context, options)))
    .addCommand(get(context))
    .addCommand(set(context));
}

function get(context: Context): Command {
  return verb('get', 'Print a setting: text as it is, all else as JSON')
    .argument('[path]', 'such as terminals.scrollback, or a section; all settings by default')
    .addOption(REVEAL)
    .action(async (path: string | undefined, options: Options) => {
      const all = await settings(context, options);
      const value = path === undefined ? all : settingAt(all, path);
      await (typeof value === 'string' ? context.write(`${value}\n`) : printJson(context, value));
    });
}

function set(context: Context): Command {
  return verb('set', 'Change a setting')
    .argument('<path>', 'such as terminals.scrollback')
    .argument('<value>', 'JSON, or text without quotes; null gives a setting its default again')
    .action(async (path: string, value: string, options: CommonOptions) => {
      const change = changeOf(path, parsedValue(value)) as SettingsChange;
      const { restartRequired } = await context.client(options).settings.change(change, {
        signal: context.signal,
      });
      const isLater = restartRequired.some((key) => key === path || key.startsWith(`${path}.`));
      if (isLater) context.say(`auto-terminal: ${path} takes effect at the next start of the service`);
    });
}

function settings(context: Context, { reveal, ...options }: Options): Promise<SettingsAnswer> {
  return context.client(options).settings.get({ reveal, signal: context.signal });
}
