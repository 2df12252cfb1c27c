import type { Command } from 'commander';
import type { WebhookAttempt, WebhookInfo } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { inEach } from '../each.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { type Column, type FormatOptions, OUTPUT, printFacts, printRows, QUIET } from '../format.js';
import { SELECTOR } from '../targets.js';
import { collect, verb } from '../verb.js';

type Common = CommonOptions & FormatOptions;

const COLUMNS: readonly Column<WebhookInfo>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name ?? '' },
  { title: 'STATE', value: ({ enabled, isGone }) => (enabled ? 'enabled' : isGone ? 'gone' : 'disabled') },
  { title: 'LAST', value: ({ lastAttempt }) => lastAttempt?.outcome ?? '' },
  { title: 'RETRYING', value: ({ retrying }) => String(retrying) },
  { title: 'TYPES', value: ({ types }) => types.join(',') },
  { title: 'URL', value: ({ url }) => url },
  { title: 'SELECTOR', value: ({ selector }) => selector ?? '', wide: true },
  { title: 'TERMINALS', value: ({ terminals }) => terminals?.join(',') ?? '', wide: true },
  { title: 'BEHIND', value: ({ behind }) => String(behind), wide: true },
];

const ATTEMPTS: readonly Column<WebhookAttempt>[] = [
  { title: 'TIME', value: ({ at }) => new Date(at).toISOString() },
  { title: 'TYPE', value: ({ type }) => type },
  { title: 'TERMINAL', value: ({ terminalId }) => terminalId ?? '' },
  { title: 'ATTEMPT', value: ({ attempt }) => String(attempt) },
  { title: 'OUTCOME', value: ({ outcome }) => outcome },
  { title: 'STATUS', value: ({ status }) => (status === null ? '' : String(status)) },
  { title: 'MS', value: ({ ms }) => String(ms) },
  { title: 'ERROR', value: ({ error }) => error ?? '' },
  { title: 'MESSAGE', value: ({ messageId }) => messageId, wide: true },
];

/** `auto-terminal webhooks`: URLs to which the service posts events. */
export function webhooks(context: Context): Command {
  return verb('webhooks', 'List the URLs that events are posted to')
    .enablePositionalOptions()
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: Common) => {
      const rows = await context.client(options).webhooks.list({ signal: context.signal });
      await printRows(context, rows, options, { columns: COLUMNS, id: ({ id }) => id, name: 'webhooks' });
    })
    .addCommand(add(context))
    .addCommand(change(context, 'enable', 'Post the events from now on', true))
    .addCommand(change(context, 'disable', 'Post nothing, and drop what waits for another attempt', false))
    .addCommand(test(context))
    .addCommand(deliveries(context))
    .addCommand(remove(context));
}

interface AddOptions {
  type: string[];
  name?: string;
  selector?: string;
  terminal?: string[];
}

function add(context: Context): Command {
  return verb('add', 'Post events to a URL, and print the webhook with its secret, which is shown this once')
    .argument('<target>', 'URL of the receiver, http or https')
    .requiredOption('-t, --type <type>', 'such as agent.status or run.*; may be repeated', collect)
    .option('-n, --name <name>', 'for readers')
    .addOption(SELECTOR)
    .option('--terminal <id>', 'only events of this terminal; may be repeated', collect)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (url: string, { type, name, selector, terminal, ...options }: AddOptions & Common) => {
      const body = { url, types: type, name, selector, terminals: terminal };
      const made = await context.client(options).webhooks.create(body, { signal: context.signal });
      const { id, secret, types } = made;
      await printFacts(context, { id, secret, url, types: types.join(',') }, made, options, id);
    });
}

function change(context: Context, name: string, description: string, enabled: boolean): Command {
  return verb(name, description)
    .argument('<ids...>', 'ids of webhooks')
    .action(async (ids: string[], options: CommonOptions) => {
      const client = context.client(options);
      const { signal } = context;
      await inEach(context, ids, 'changed', (id) => client.webhooks.change(id, { enabled }, { signal }));
    });
}

function test(context: Context): Command {
  return verb('test', 'Post a test message; fails unless it is answered with 2xx')
    .argument('<id>', 'id of a webhook')
    .addOption(OUTPUT)
    .action(async (id: string, options: Common) => {
      const attempt = await context.client(options).webhooks.test(id, { signal: context.signal });
      const { outcome, status, ms, error } = attempt;
      const facts = {
        outcome,
        status: status === null ? '' : String(status),
        ms: String(ms),
        error: error ?? '',
      };
      await printFacts(context, facts, attempt, options, attempt.messageId);
      if (outcome !== 'delivered')
        throw new CommandError(EXIT.failed, 'not-delivered', `The test was not delivered: ${error}`);
    });
}

function deliveries(context: Context): Command {
  return verb('deliveries', 'List the latest attempts at deliveries, newest first')
    .argument('<id>', 'id of a webhook')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (id: string, options: Common) => {
      const rows = await context.client(options).webhooks.deliveries(id, { signal: context.signal });
      const shape = { columns: ATTEMPTS, id: ({ messageId }: WebhookAttempt) => messageId, name: 'attempts' };
      await printRows(context, rows, options, shape);
    });
}

function remove(context: Context): Command {
  return verb('rm', 'Delete webhooks, and what waits for another attempt')
    .argument('<ids...>', 'ids of webhooks')
    .action(async (ids: string[], options: CommonOptions) => {
      const client = context.client(options);
      await inEach(context, ids, 'deleted', (id) => client.webhooks.delete(id, { signal: context.signal }));
    });
}
