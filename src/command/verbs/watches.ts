import type { Command } from 'commander';
import type { WatchAction, WatchForOptions, WatchInfo } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { usageError } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { SELECTOR } from '../targets.js';
import { collect, msOf, secondsOf, verb, wholeNumber } from '../verb.js';

type Common = CommonOptions & FormatOptions;

const COLUMNS: readonly Column<WatchInfo>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name ?? '' },
  { title: 'STATE', value: ({ ended }) => ended ?? 'stands' },
  { title: 'MATCHES', value: ({ matches }) => String(matches) },
  { title: 'WAITING', value: ({ waitingInput }) => waitingInput.map(({ reason }) => reason).join(',') },
  { title: 'WHERE', value: ({ selector, terminals }) => selector ?? terminals?.join(',') ?? 'all' },
  { title: 'FINDS', value: ({ text, regex }) => text ?? `/${regex}/` },
  { title: 'EVENTS', value: ({ events }) => String(events), wide: true },
  { title: 'GAPS', value: ({ gaps }) => String(gaps), wide: true },
  { title: 'LEFT OUT', value: ({ leftOut }) => String(leftOut), wide: true },
  { title: 'LAST', value: ({ lastMatch }) => lastMatch?.text ?? '', wide: true },
];

/** `auto-terminal watches`: standing searches in the output of terminals. */
export function watches(context: Context): Command {
  return verb('watches', 'List the standing searches in what terminals print')
    .enablePositionalOptions()
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: Common) => {
      const rows = await context.client(options).watches.list({ signal: context.signal });
      await printRows(context, rows, options, { columns: COLUMNS, id: ({ id }) => id, name: 'watches' });
    })
    .addCommand(add(context))
    .addCommand(remove(context));
}

interface AddOptions {
  regex?: boolean;
  selector?: string;
  terminal?: string[];
  name?: string;
  once?: boolean;
  debounce?: number;
  perMinute?: number;
  expires?: number;
  webhook?: string[];
  type?: string[];
}

function add(context: Context): Command {
  return verb('add', 'Watch for a text in the lines that programs print, and print the id of the watch')
    .argument('<text>', 'the text to find, as it is')
    .option('-r, --regex', 'the text is a regular expression of JavaScript')
    .addOption(SELECTOR)
    .option('--terminal <id>', 'only in this terminal; may be repeated', collect)
    .option('-n, --name <name>', 'for readers')
    .option('--once', 'end with the first event')
    .option('--debounce <seconds>', 'gather what matches within this time after an event', secondsOf)
    .option('--per-minute <number>', 'most events about one terminal within a minute', wholeNumber)
    .option('--expires <seconds>', 'end after this time', secondsOf)
    .option('--webhook <id>', 'post the events to this webhook; may be repeated', collect)
    .option('--type <id=line>', 'type a line into this terminal once it is idle; may be repeated', collect)
    .action(async (text: string, { terminal, name, once, ...own }: AddOptions & CommonOptions) => {
      const { regex = false, selector, debounce, perMinute, expires, webhook = [], type = [] } = own;
      const body: WatchForOptions = {
        ...(regex ? { regex: text } : { text }),
        ...{ name, selector, once, terminals: terminal, maxPerMinute: perMinute },
        debounceMs: msOf(debounce),
        expiresInMs: msOf(expires),
        actions: [...webhook.map(toWebhook), ...type.map(toInput)],
      };
      const { id } = await context.client(own).watches.create(body, { signal: context.signal });
      await context.write(`${id}\n`);
    });
}

function toWebhook(webhookId: string): WatchAction {
  return { type: 'webhook', webhookId };
}

function toInput(text: string): WatchAction {
  const [, terminalId, line] = /^([^=]+)=([\s\S]+)$/.exec(text) ?? [];
  if (terminalId === undefined || line === undefined)
    throw usageError('An action names a terminal and a line.', 'Give it as term_0123456789ab=the line');
  return { type: 'input', terminalId, text: line };
}

function remove(context: Context): Command {
  return verb('rm', 'Delete watches')
    .argument('<ids...>', 'ids of watches')
    .action(async (ids: string[], options: CommonOptions) => {
      const client = context.client(options);
      await inEach(context, ids, 'deleted', (id) => client.watches.delete(id, { signal: context.signal }));
    });
}
