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
    .describe('`all` adds those that have exited and are kept for a while'),
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
        summary: 'The terminals',
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
          'Without a body: the default profile, 80 columns by 24 rows, in a tab of its own. A `parentTerminalId` or `paneId` that is not there answers 404, and nothing is started.',
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
        summary: 'One terminal',
        description: 'Also one that has exited, while it is kept.',
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
        description: 'Labels are laid over those that it has: null takes one away, and others stay.',
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
          'Hangs up on every program in it; what is left after 2 s is killed. Answers once it is out of the list. One that has exited is dropped.',
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
