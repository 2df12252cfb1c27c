import { z } from 'zod';
import { Ok } from '../../contract/answers.js';
import { matches, Selector } from '../../contract/labels.js';
import { CreatedTerminal, CreateTerminal, Terminal, UpdateTerminal } from '../../contract/terminal.js';
import { unknownKeys } from '../../contract/unknown-keys.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import { originOf } from '../origin.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

const ListQuery = z.object({
  status: z
    .enum(['running', 'all'])
    .default('running')
    .describe('`all` adds exited terminals that are still kept'),
  selector: Selector.optional(),
});

/** Without a body, the terminal gets all defaults. */
const CreateBody = CreateTerminal.loose().prefault({});

/** Returns the body without its unknown fields, which have no meaning. */
function knownOf(body: CreateTerminal): CreateTerminal {
  const known = Object.entries(body).filter(([key]) => Object.hasOwn(CreateTerminal.shape, key));
  return Object.fromEntries(known) as CreateTerminal;
}

function warningsOf(body: CreateTerminal): { warnings?: string[] } {
  const unknown = unknownKeys(CreateTerminal, body);
  return unknown.length === 0 ? {} : { warnings: unknown.map((key) => `unknown field: ${key}`) };
}

/** `/api/terminals`: lists, creates, looks up, changes and closes terminals. */
export function registerTerminals(app: App, terminals: TerminalsPort, keys: IdempotencyKeys): void {
  const tags = ['Terminals'];

  app.get(
    '/api/terminals',
    {
      schema: {
        summary: 'List the terminals',
        tags,
        querystring: ListQuery,
        response: { 200: z.object({ terminals: z.array(Terminal) }) },
      },
    },
    async ({ query: { status, selector } }) => {
      const listed = terminals.list(status);
      return { terminals: selector ? listed.filter(({ labels }) => matches(labels, selector)) : listed };
    },
  );

  app.post(
    '/api/terminals',
    {
      schema: {
        summary: 'Create a terminal',
        description:
          'Without a body, the terminal runs the default profile, at 80 columns by 24 rows, in a tab of ' +
          'its own. If the terminal `parentTerminalId` or the pane `paneId` does not exist, the answer is ' +
          '404, and nothing is started.',
        tags,
        headers: IdempotencyHeaders,
        body: CreateBody,
        response: {
          200: CreatedTerminal,
          ...failures('terminal-not-found', 'pane-not-found', 'key-reused'),
          ...failures('spawn-failed', 'tmux-unavailable', 'outcome-unknown'),
        },
      },
    },
    async (request) => {
      const { plan } = await keys.begin(request, () => ({ terminalId: terminals.newId() }));
      const created = await terminals.create(knownOf(request.body), originOf(request), plan.terminalId);
      return { ...created, ...warningsOf(request.body) };
    },
  );

  app.get(
    '/api/terminals/:id',
    {
      schema: {
        summary: 'Get a terminal',
        description: 'Works for an exited terminal, too, while it is kept.',
        tags,
        params: IdParams,
        response: { 200: Terminal, ...failures('terminal-not-found') },
      },
    },
    async (request) => terminals.get(request.params.id),
  );

  app.patch(
    '/api/terminals/:id',
    {
      schema: {
        summary: 'Change the name and the labels of a terminal',
        description:
          'The labels are merged into those of the terminal: null removes a label; labels that are not ' +
          'named stay.',
        tags,
        params: IdParams,
        body: UpdateTerminal,
        response: { 200: Terminal, ...failures('terminal-not-found') },
      },
    },
    (request) => terminals.update(request.params.id, request.body),
  );

  app.delete(
    '/api/terminals/:id',
    {
      schema: {
        summary: 'Close a terminal',
        description:
          'Sends a hangup to every program in the terminal, and kills those that are left after 2 s. ' +
          'Answers once the terminal is out of the list. An exited terminal is removed.',
        tags,
        params: IdParams,
        response: { 200: Ok, ...failures('terminal-not-found') },
      },
    },
    async (request) => {
      await terminals.close(request.params.id);
      return { status: 'ok' as const };
    },
  );
}
