import { type Command, Option } from 'commander';
import type { Occurrence, WaitManyResult } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { EXIT, usageError } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { ALL, manyTargets, SELECTOR, TARGET_HELP, type TargetOptions } from '../targets.js';
import { collect, msOf, secondsOf, verb, waitSeconds } from '../verb.js';
import { isOfOne, ONE_EVENTS, type OneEvent, type OneOptions, waitInOne } from '../wait-one.js';

type Options = CommonOptions &
  FormatOptions &
  TargetOptions &
  OneOptions & { until?: (Occurrence | OneEvent)[]; mode?: string; timeout: number; seen?: string[] };

const DEFAULT_TIMEOUT_S = 3_600;

const OCCURRENCES: readonly Occurrence[] = ['waiting', 'idle', 'working', 'failed', 'finished', 'exited'];

const COLUMNS: readonly Column<WaitManyResult>[] = [
  { title: 'ID', value: ({ terminalId }) => terminalId },
  { title: 'NAME', value: ({ name = '' }) => name },
  { title: 'EVENT', value: ({ event, code }) => event ?? code ?? 'gone' },
  { title: 'WHAT', value: whatOf },
];

/** `auto-terminal wait`: waits until terminals need a person, or for an event in one terminal. */
export function wait(context: Context): Command {
  return verb(
    'wait',
    'Wait until agents ask, commands fail or end, or programs exit; or for an event in one terminal',
  )
    .argument('[targets...]', TARGET_HELP)
    .addOption(SELECTOR)
    .addOption(ALL)
    .addOption(
      new Option(
        '-u, --until <event>',
        `what to wait for, in any number of terminals: ${OCCURRENCES.join(', ')}; may be repeated; waiting, failed ` +
          `and exited by default. In one terminal: ${ONE_EVENTS.join(', ')}`,
      ).argParser(eventOf),
    )
    .option('-m, --mode <mode>', 'in how many terminals: any, all, or a number; any by default')
    .option('-t, --timeout <seconds>', 'how long to wait', waitSeconds, DEFAULT_TIMEOUT_S)
    .option('--seen <id>', 'id of an occurrence that has been dealt with; may be repeated', collect)
    .option('--text <text>', 'with -u text: what a program prints')
    .option('--regex <pattern>', 'with -u text: a JavaScript regular expression, instead')
    .option('--echo', 'with -u text: look at typed lines, too')
    .option('--quiet-for <seconds>', 'with -u quiet: how long nothing is printed', secondsOf)
    .option(
      '--since <cursor>',
      'with -u text or command: only what comes after this cursor of an earlier answer',
    )
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (targets: string[], options: Options) => {
      context.leave = () => undefined;
      const timeoutMs = msOf(options.timeout);
      if (isOfOne(options)) await waitInOne(context, targets, { ...options, timeoutMs });
      else await waitInMany(context, targets, { ...options, timeoutMs });
    });
}

async function waitInMany(
  context: Context,
  targets: readonly string[],
  {
    until = ['waiting', 'failed', 'exited'],
    mode,
    seen,
    timeoutMs,
    ...options
  }: Options & { timeoutMs: number },
): Promise<void> {
  const count = mode === undefined ? 'any' : modeOf(mode);
  const client = context.client(options);
  const ids = await manyTargets(context, client, targets, options);
  const asked = { until: until as Occurrence[], mode: count, seen, timeoutMs, signal: context.signal };
  const answer = await client.select(ids).wait(asked);
  const id = ({ terminalId }: WaitManyResult) => terminalId;
  await printRows(context, answer.results, options, { columns: COLUMNS, id, name: 'results' });
  if (answer.done) return;
  const { pending } = answer.summary;
  context.say(
    pending > 0
      ? `auto-terminal: ${until.join(', ')}: not in time; ${pending} of ${ids.length} terminals are still waited for`
      : `auto-terminal: ${until.join(', ')}: cannot happen any more in the terminals that are left`,
  );
  context.exitCode = pending > 0 ? EXIT.timedOut : EXIT.failed;
}

function eventOf(event: string, earlier: readonly (Occurrence | OneEvent)[] = []): (Occurrence | OneEvent)[] {
  const known = [...OCCURRENCES, ...ONE_EVENTS].find((each) => each === event);
  if (known !== undefined) return [...earlier, known];
  const fix = `Use one of ${[...OCCURRENCES, ...ONE_EVENTS].join(', ')}`;
  throw usageError(`${JSON.stringify(event)} is no event`, fix);
}

function modeOf(mode: string): 'any' | 'all' | number {
  if (mode === 'any' || mode === 'all') return mode;
  if (/^[1-9]\d{0,8}$/.test(mode)) return Number(mode);
  throw usageError(`${JSON.stringify(mode)} is no mode`, 'Use any, all, or a number of terminals');
}

function whatOf({ question, command, exitCode, signal, agentStatusReason, error }: WaitManyResult): string {
  if (question) return question;
  if (command) return `${command.exitCode ?? '?'}  ${command.commandLine}`;
  if (exitCode !== undefined) return signal ?? `exit ${exitCode ?? 'unknown'}`;
  return error ?? agentStatusReason ?? '';
}
