import type { Command } from 'commander';
import { type BatchAnswer, inTheWay } from '../../client/index.js';
import { adviceOn } from '../advice.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { EXIT, usageError } from '../exit-codes.js';
import { type GateFlags, wishOf, withGate } from '../gate-options.js';
import { standardInput } from '../input.js';
import { ALL, manyTargets, SELECTOR, TARGET_HELP, type TargetOptions } from '../targets.js';
import { remoteVerb } from '../verb.js';

/** Options by which text and prompts are typed. */
export type SendOptions = CommonOptions & GateFlags & { enter?: boolean; paste?: boolean; type?: string };

type Options = SendOptions & TargetOptions;

/** `auto-terminal send`: types text into terminals. */
export function send(context: Context): Command {
  return withGate(
    remoteVerb('send', 'Type text into terminals; without a text, or with "-", it reads standard input'),
  )
    .argument('[target]', TARGET_HELP)
    .argument('[text]', 'text to type; with --enter it may be omitted, for Enter alone')
    .addOption(SELECTOR)
    .addOption(ALL)
    .option('--enter', 'press Enter after the text')
    .option('--paste', 'paste the text, for programs that tell typing from pasting')
    .action(async (first: string | undefined, second: string | undefined, options: Options) => {
      const [targets, text] = splitText(first, second, options);
      await typed(context, options, await running(context, targets, options), text);
    });
}

/** `auto-terminal prompt`: gives a prompt to the programs in terminals. */
export function prompt(context: Context): Command {
  return withGate(remoteVerb('prompt', 'Paste a prompt for a program such as a coding agent, and submit it'))
    .argument('[target]', TARGET_HELP)
    .argument('[text]', 'the prompt; without it, or with "-", it reads standard input')
    .addOption(SELECTOR)
    .addOption(ALL)
    .option('--type <cli-type>', 'how the program takes a prompt: agent_a, default (a shell), ...')
    .action(async (first: string | undefined, second: string | undefined, options: Options) => {
      const [targets, text] = splitText(first, second, options);
      await prompted(context, options, await running(context, targets, options), text);
    });
}

/** `auto-terminal keys`: presses keys in a terminal. */
export function keys(context: Context): Command {
  return withGate(remoteVerb('keys', 'Press keys by their names'))
    .argument('<target>', TARGET_HELP)
    .argument('<keys...>', 'such as enter, up, ctrl+c, alt+x, f5')
    .action(async (target: string, names: string[], options: CommonOptions & GateFlags) =>
      pressed(context, options, await running(context, [target], options), names),
    );
}

/** Types a text, or standard input for "-". */
export async function typed(
  context: Context,
  { enter = false, paste = false, ...options }: SendOptions,
  ids: readonly string[],
  text: string,
): Promise<void> {
  const data = await textOrInput(context, text);
  const selection = context.client(options).select(ids);
  const call = { signal: context.signal, ...wishOf(options) };
  const isEmpty = data === '' && !enter;
  if (isEmpty) throw usageError('There is nothing to type', 'Give a text, or --enter for Enter alone');
  const submissionSignal = enter ? '\r' : '';
  const answer =
    paste && data !== ''
      ? await selection.prompt(data, { cliType: 'default', submissionSignal, ...call })
      : await selection.type(data + submissionSignal, call);
  await report(context, answer);
}

/** Submits a prompt, or standard input for "-". */
export async function prompted(
  context: Context,
  { type: cliType, ...options }: SendOptions,
  ids: readonly string[],
  text: string,
): Promise<void> {
  const words = await textOrInput(context, text);
  const call = { cliType, signal: context.signal, ...wishOf(options) };
  await report(context, await context.client(options).select(ids).prompt(words, call));
}

/** Presses keys. */
export function pressed(
  context: Context,
  options: CommonOptions & GateFlags,
  ids: readonly string[],
  names: readonly string[],
): Promise<void> {
  const { terminals } = context.client(options);
  return inEach(context, ids, 'typed into', (id) =>
    terminals.get(id).keys(names, { signal: context.signal, ...wishOf(options) }),
  );
}

function running(context: Context, targets: string[], options: CommonOptions & TargetOptions) {
  return manyTargets(context, context.client(options), targets, options, { mustRun: true });
}

async function textOrInput(context: Context, text: string): Promise<string> {
  return text === '-' ? standardInput(context) : text;
}

/** With -l or --all, the only argument is the text. Without a text, that is standard input, or Enter alone. */
function splitText(
  first: string | undefined,
  second: string | undefined,
  { selector, all, enter = false }: TargetOptions & { enter?: boolean },
): [string[], string] {
  const none = enter ? '' : '-';
  if (selector === undefined && !all) return [first === undefined ? [] : [first], second ?? none];
  if (second !== undefined)
    throw usageError('A target, -l and --all exclude each other', 'With -l or --all, give the text alone');
  return [[], first ?? none];
}

/** Names each failure; the command then ends as `keys` does, with their code if they are alike. */
async function report(context: Context, { results }: BatchAnswer): Promise<void> {
  const failures = results.filter(({ success }) => !success);
  for (const { terminalId, error, code = '', fix, ...blame } of failures) {
    const lines = [
      `auto-terminal: ${terminalId}: ${error ?? 'failed'}`,
      inTheWay(blame),
      adviceOn({ code, fix }),
    ];
    context.say(lines.filter((line) => line !== undefined).join('\n'));
  }
  if (failures.length === 0) return;
  // Loaded only here: most commands need no error of the catalogue.
  const { exitCodeFor } = await import('../result-code.js');
  const [code = EXIT.failed, ...others] = new Set(failures.map(exitCodeFor));
  context.exitCode = others.length === 0 ? code : EXIT.failed;
}
