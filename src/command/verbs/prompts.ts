import { type Command, InvalidArgumentError, Option } from 'commander';
import type { PromptInfo, QueueOptions } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { CommandError, EXIT, usageError } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { standardInput } from '../input.js';
import { oneTarget, SELECTOR, TARGET_HELP } from '../targets.js';
import { msOf, secondsOf, verb } from '../verb.js';

type Common = CommonOptions & FormatOptions;

const COLUMNS: readonly Column<PromptInfo>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'TERMINAL', value: ({ terminalId }) => terminalId },
  { title: 'STATE', value: ({ state }) => state },
  { title: 'WHY', value: ({ waitsFor, reason }) => waitsFor ?? reason ?? '' },
  { title: 'WHEN', value: ({ when }) => when },
  { title: 'PROMPT', value: ({ prompt }) => prompt },
  { title: 'AT', value: ({ at }) => timeOf(at), wide: true },
  { title: 'EXPIRES', value: ({ expiresAt }) => timeOf(expiresAt), wide: true },
  { title: 'TYPED', value: ({ typedAt }) => timeOf(typedAt), wide: true },
  { title: 'ENDED', value: ({ endedAt }) => timeOf(endedAt), wide: true },
];

const STATES = [
  ...['queued', 'typing', 'submitted', 'stalled', 'expired', 'cancelled', 'terminal-gone', 'unknown'],
];

/** `auto-terminal prompts`: prompts that wait until their terminals are ready for them. */
export function prompts(context: Context): Command {
  return verb('prompts', 'Queue prompts that are typed once their terminals are ready')
    .enablePositionalOptions()
    .addCommand(add(context))
    .addCommand(list(context))
    .addCommand(cancel(context));
}

interface AddOptions {
  when?: QueueOptions['when'];
  after?: number;
  at?: number;
  expires?: number;
  type?: string;
}

function add(context: Context): Command {
  return verb('add', 'Queue a prompt, also for hours later, and print its id')
    .argument('<target>', TARGET_HELP)
    .argument('<text>', 'the prompt; "-" reads it from standard input')
    .addOption(
      new Option(
        '--when <what>',
        'the agent is idle, the shell is at its prompt, or whichever comes first; free by default',
      ).choices(['agent-idle', 'command-end', 'free']),
    )
    .option('--after <seconds>', 'not before so many seconds from now', secondsOf)
    .option('--at <time>', 'not before this time, such as 2026-01-31T18:00', timeFrom)
    .option('--expires <seconds>', 'type nothing once so many seconds are over', secondsOf)
    .option('--type <cli-type>', 'how the agent takes prompts, as of "prompt"')
    .action(async (target: string, text: string, options: AddOptions & CommonOptions) => {
      const { when, after, at, expires, type: cliType } = options;
      if (after !== undefined && at !== undefined)
        throw usageError('--after and --at exclude each other', 'Give only one of them');
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target, { mustRun: true });
      const queued = await client.terminals
        .get(id)
        .prompts.add(text === '-' ? await standardInput(context) : text, {
          ...{ when, at, cliType, afterMs: msOf(after), expiresInMs: msOf(expires), signal: context.signal },
        });
      await context.write(`${queued.id}\n`);
    });
}

function list(context: Context): Command {
  return verb('list', 'List the prompts that wait, and those that have ended')
    .argument('[target]', TARGET_HELP)
    .addOption(SELECTOR)
    .addOption(new Option('--state <state>', 'only prompts in this state').choices(STATES))
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (target: string | undefined, options: ListOptions & Common) => {
      const { selector, state } = options;
      const { signal } = context;
      if (target !== undefined && selector !== undefined)
        throw usageError('A target and -l exclude each other', 'Give only one of them');
      const client = context.client(options);
      const id = target === undefined ? undefined : (await oneTarget(context, client, target)).id;
      const all = await client.prompts({ selector, state, signal });
      const rows = all.filter(({ terminalId }) => id === undefined || terminalId === id);
      await printRows(context, rows, options, { columns: COLUMNS, id: (each) => each.id, name: 'prompts' });
    });
}

interface ListOptions {
  selector?: string;
  state?: PromptInfo['state'];
}

function cancel(context: Context): Command {
  return verb('cancel', 'Cancel prompts that wait')
    .argument('<ids...>', 'ids of prompts')
    .action(async (ids: string[], options: CommonOptions) => {
      const client = context.client(options);
      const known = await client.prompts({ signal: context.signal });
      await inEach(context, ids, 'cancelled', async (id) => {
        const found = known.find((prompt) => prompt.id === id);
        if (!found)
          throw new CommandError(
            EXIT.notFound,
            'prompt-not-found',
            `No prompt has the id ${JSON.stringify(id)}`,
            'auto-terminal prompts list shows the prompts that are kept',
          );
        await client.terminals.get(found.terminalId).prompts.cancel(id, { signal: context.signal });
      });
    });
}

function timeFrom(text: string): number {
  const at = Date.parse(text);
  if (Number.isNaN(at) || at < 0) throw new InvalidArgumentError('It is a time, such as 2026-01-31T18:00.');
  return at;
}

function timeOf(at: number | null): string {
  return at === null ? '' : new Date(at).toISOString();
}
