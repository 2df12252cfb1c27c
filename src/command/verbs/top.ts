import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { ReadStream } from 'node:tty';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { TerminalView } from '../../client/index.js';
import { attachTo } from '../attach/attach.js';
import { detachKeysOf } from '../attach/detach-keys.js';
import type { CommonOptions, Context } from '../context.js';
import { shellCode } from '../exit-codes.js';
import { type FormatOptions, OUTPUT, printRows } from '../format.js';
import type { OuterOut } from '../outer/outer-terminal.js';
import { SELECTOR } from '../targets.js';
import { PRINTED_COLUMNS } from '../top/columns.js';
import { Live } from '../top/live.js';
import { SORTS, type Sort, sorted } from '../top/order.js';
import { painter } from '../top/style.js';
import { TopTable } from '../top/table.js';
import { verb } from '../verb.js';

interface Options extends CommonOptions, FormatOptions {
  selector?: string;
  all?: boolean;
  sort: Sort;
  delay: number;
  iterations?: number;
}

const MIN_DELAY_S = 0.1;
const MAX_DELAY_S = 86_400;

const DESCRIPTION =
  'Watch the terminals in a live table: Enter attaches to the selected terminal, / filters, s sorts, c closes, ? lists ' +
  'all keys; without a terminal, print the table once';

/** `auto-terminal top`: a live table of the terminals. */
export function top(context: Context): Command {
  return verb('top', DESCRIPTION)
    .addOption(SELECTOR)
    .option('-a, --all', 'exited terminals that are still kept, too')
    .addOption(
      new Option('--sort <column>', `order of the table: ${SORTS.join(', ')}`)
        .choices([...SORTS])
        .default('state'),
    )
    .option('-d, --delay <seconds>', 'time between two looks', delayOf, 0.5)
    .option('-n, --iterations <number>', 'print so many tables, one after the other', iterationsOf)
    .addOption(OUTPUT)
    .action(async (options: Options) => {
      const list = (signal: AbortSignal | undefined) => listed(context, options, signal);
      const { stdin, env, isTty } = context;
      const isPrinted = options.output !== undefined || options.iterations !== undefined;
      if (isPrinted || !isTty || !stdin.isTTY || env.TERM === 'dumb') await print(context, options, list);
      else await show(context, options, list);
    });
}

type List = (signal: AbortSignal | undefined) => Promise<TerminalView[]>;

async function listed(
  context: Context,
  { selector, all = false, ...common }: Options,
  signal: AbortSignal | undefined,
): Promise<TerminalView[]> {
  const { terminals } = context.client(common);
  const views: TerminalView[] = [];
  const query = { status: all ? 'all' : 'running', selector, signal } as const;
  for await (const view of terminals.views(query)) views.push(view);
  return views;
}

async function print(context: Context, options: Options, list: List): Promise<void> {
  const { iterations = 1, delay, sort, output } = options;
  for (let printed = 1; ; printed++) {
    const views = sorted(await list(context.signal), sort);
    await printRows(context, views, output === undefined ? {} : { output }, {
      columns: PRINTED_COLUMNS,
      id: ({ id }) => id,
      name: 'terminals',
    });
    if (printed >= iterations) return;
    await pause(delay * 1_000, undefined, { signal: context.signal });
  }
}

async function show(context: Context, options: Options, list: List): Promise<void> {
  const { stdin, stdout, stderr, env, signal } = context;
  const client = context.client(options);
  const detachKeys = detachKeysOf(env);
  const live = new Live({
    ...{ stdin: stdin as ReadStream, stdout: stdout as OuterOut, signal },
    ...{ client, list, delayMs: options.delay * 1_000 },
    table: new TopTable(options.sort),
    paint: painter(!env.NO_COLOR),
    attach: ({ id, name }) =>
      attachTo({
        terminal: client.terminals.get(id),
        ...{ stdin, stdout, stderr, signal },
        options: { detachKeys, name, clientName: env.USER ?? '' },
      }),
  });
  const ended = await live.run();
  // As after attach, a process whose terminal is gone ends by the signal.
  if (live.isLost) process.kill(process.pid, 'SIGHUP');
  else if (ended !== undefined) context.exitCode = shellCode(null, ended, constants.signals);
}

function delayOf(value: string): number {
  const seconds = Number(value);
  if (!(seconds >= MIN_DELAY_S && seconds <= MAX_DELAY_S))
    throw new InvalidArgumentError(`Give seconds, from ${MIN_DELAY_S} to ${MAX_DELAY_S}.`);
  return seconds;
}

function iterationsOf(value: string): number {
  if (!/^[1-9]\d*$/.test(value)) throw new InvalidArgumentError('Give a number, at least 1.');
  return Number(value);
}
