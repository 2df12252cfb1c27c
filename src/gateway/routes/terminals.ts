import { z } from 'zod';
import type { InputGate } from '../../actors/input-gate/input-gate.js';
import { Ok } from '../../contract/answers.js';
import { patched, Selector } from '../../contract/labels.js';
import { MAX_BATCH_TERMINALS } from '../../contract/limits.js';
import { CreatedTerminal, CreateTerminal, Terminal, UpdateTerminal } from '../../contract/terminal.js';
import { TerminalDetail, TerminalView } from '../../contract/terminal-view.js';
import { AgentStatus } from '../../contract/wait.js';
import { needs } from '../access/needs.js';
import type { Creator } from '../creator.js';
import { failures, overLimitFailure } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { countBetween, IdParams } from './params.js';

const ListQuery = z
  .object({
    status: z
      .enum(['running', 'all'])
      .default('running')
      .describe('`all` adds exited terminals that are still kept'),
    selector: Selector.optional(),
    view: z
      .enum(['plain', 'full'])
      .default('plain')
      .describe('`full` adds processes, agents, commands, size and input to each terminal'),
    agentStatus: AgentStatus.optional().describe(
      'With `view=full`: lists only terminals whose agents have this status',
    ),
    limit: countBetween(1, MAX_BATCH_TERMINALS)
      .optional()
      .describe('Terminals of a page; without it, the answer has them all'),
    after: z.string().optional().describe('`next` of the page before'),
  })
  .refine(({ view, agentStatus }) => view === 'full' || agentStatus === undefined, {
    path: ['agentStatus'],
    message: 'needs view=full',
  });
type ListQuery = z.infer<typeof ListQuery>;

const ListAnswer = z.object({
  terminals: z
    .array(z.union([TerminalView, Terminal]))
    .describe('The oldest first if the query has `view=full`, `limit` or `after`'),
  next: z
    .string()
    .nullable()
    .optional()
    .describe('With `view=full`, `limit` or `after`: pass it as `after`; null if this is the last page'),
});

/** A list of the terminals that the client may know of. */
type AskedList = ListQuery & { sees?: (id: string) => boolean };

/** The lists of terminals, as the gateway reads them. Both throw invalid-cursor. */
export interface ListsPort {
  plain(query: AskedList): z.infer<typeof ListAnswer>;
  full(query: AskedList): Promise<z.infer<typeof ListAnswer>>;
}

/** Without a body, the terminal gets all defaults. */
const CreateBody = CreateTerminal.loose().prefault({});

/** `/api/terminals`: lists, creates, looks up, changes and closes terminals. */
export function registerTerminals(
  app: App,
  terminals: TerminalsPort,
  lists: ListsPort,
  leases: Pick<InputGate, 'told'>,
  keys: IdempotencyKeys,
  creator: Creator,
): void {
  const tags = ['Terminals'];

  app.get(
    '/api/terminals',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'List the terminals',
        description:
          'With `view=full`, one request answers what else would take four for each terminal: what runs ' +
          'in it and where, what its agent does, its last command, its size, and who typed last. ' +
          '`limit` and `after` go through a long list page by page.',
        tags,
        querystring: ListQuery,
        response: { 200: ListAnswer, ...failures('invalid-cursor') },
      },
    },
    async ({ query, rights }) => {
      const asked = { ...query, ...(rights.isBound && { sees: rights.sees }) };
      return query.view === 'full' ? lists.full(asked) : lists.plain(asked);
    },
  );

  app.post(
    '/api/terminals',
    {
      config: needs('control', 'filtered'),
      schema: {
        summary: 'Create a terminal',
        description:
          'Without a body, the terminal runs the default profile, at 80 columns by 24 rows, in a tab of ' +
          'its own. If the terminal `parentTerminalId` or the pane `paneId` does not exist, the answer is ' +
          '404, and nothing is started. At one of the `limits` of the settings the answer is 429, or, with ' +
          '`queueMs`, the request waits in line, until its client leaves.',
        tags,
        headers: IdempotencyHeaders,
        body: CreateBody,
        response: {
          200: CreatedTerminal,
          ...failures('terminal-not-found', 'pane-not-found', 'key-reused'),
          ...failures('spawn-failed', 'tmux-unavailable', 'outcome-unknown'),
          ...failures('too-many-tokens'),
          429: overLimitFailure('token-limit'),
        },
      },
    },
    (request, reply) =>
      creator.hold(request, reply, async (create) => {
        const { plan } = await keys.begin(request, () => ({ terminalId: terminals.newId() }));
        return create(request.body, plan.terminalId);
      }),
  );

  app.get(
    '/api/terminals/:id',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get a terminal',
        description: 'Works for an exited terminal, too, while it is kept.',
        tags,
        params: IdParams,
        response: { 200: TerminalDetail, ...failures('terminal-not-found') },
      },
    },
    async ({ params: { id } }) => {
      const input = leases.told(id);
      return { ...terminals.get(id), ...(input && { input }) };
    },
  );

  app.patch(
    '/api/terminals/:id',
    {
      config: needs('control', 'terminal'),
      schema: {
        summary: 'Change the name and the labels of a terminal',
        description:
          'The labels are merged into those of the terminal: null removes a label; labels that are not ' +
          'named stay.',
        tags,
        params: IdParams,
        body: UpdateTerminal,
        response: { 200: Terminal, ...failures('terminal-not-found', 'unavailable') },
      },
    },
    async ({ params: { id }, body, rights }) => {
      // A client with a scope of labels must not move a terminal out of this scope.
      if (body.labels && rights.isBound) rights.requireLabels(patched(terminals.get(id).labels, body.labels));
      return terminals.update(id, body);
    },
  );

  app.delete(
    '/api/terminals/:id',
    {
      config: needs('control', 'terminal'),
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
