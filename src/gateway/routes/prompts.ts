import { randomBytes } from 'node:crypto';
import type { Prompts } from '../../actors/prompts/prompts.js';
import { Prompt, PromptBody, PromptList, PromptsQuery } from '../../contract/prompt.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';
import { IdParams, PromptParams } from './params.js';

export interface PromptsOptions {
  prompts: Pick<Prompts, 'add' | 'list' | 'get' | 'cancel'>;
  keys: IdempotencyKeys;
  writers: Pick<Writers, 'who'>;
}

const DESCRIPTION = `Types the prompt and submits it once the terminal is ready: also hours later, after a restart of the service, and with no
client connected. Prompts of a terminal that are due are typed in their order, one each time that it becomes ready. All go
through the input gate: a question of the agent is never answered, nothing is typed behind a half-typed line of a person, and
a lease of another program holds it back.

- A prompt is on disk before this answers, and is typed at most once, whatever is killed: one that the service was typing
  when it ended becomes \`unknown\`.
- \`submitted\` means that the agent was seen to begin, or that the shell reported the command. The event \`prompt.ended\` tells
  what has become of a prompt.
- At most 100 prompts wait for a terminal, 2,000 in all. They end with the terminal (\`terminal-gone\`). Those that have ended
  are listed until there are 1,000.`;

const PATH = '/api/terminals/:id/prompts';

/** `/api/terminals/:id/prompts` and `/api/prompts`: prompts that wait until their terminals are ready for them. */
export function registerPrompts(app: App, options: PromptsOptions): void {
  registerAdd(app, options);
  registerReads(app, options.prompts);
  app.delete(
    `${PATH}/:promptId`,
    {
      config: needs('type', 'terminal'),
      schema: {
        summary: 'Cancel a prompt that waits',
        description: 'One that is being typed, or has ended, cannot be cancelled any more.',
        tags: ['Execute'],
        params: PromptParams,
        response: {
          200: Prompt,
          ...failures('terminal-not-found', 'prompt-not-found', 'prompt-not-queued'),
        },
      },
    },
    async ({ params: { id, promptId } }) => options.prompts.cancel(id, promptId),
  );
}

function registerAdd(app: App, { prompts, keys, writers }: PromptsOptions): void {
  app.post(
    PATH,
    {
      config: needs('type', 'terminal'),
      schema: {
        summary: 'Queue a prompt until the terminal is ready',
        description: DESCRIPTION,
        tags: ['Execute'],
        params: IdParams,
        headers: IdempotencyHeaders,
        body: PromptBody,
        response: {
          201: Prompt,
          ...failures('terminal-not-found', 'unknown-cli-type', 'too-many-prompts', 'key-reused'),
        },
      },
    },
    async (request, reply) => {
      const { params, body, headers } = request;
      const { plan } = await keys.begin(request, () => ({ promptId: newPromptId() }));
      const key = headers['idempotency-key'];
      const prompt = await prompts.add({
        ...{ id: plan.promptId, terminalId: params.id, body, by: writers.who(request) },
        request: typeof key === 'string' ? key : undefined,
      });
      return reply.code(201).send(prompt);
    },
  );
}

function registerReads(app: App, prompts: PromptsOptions['prompts']): void {
  const tags = ['Execute'];

  app.get(
    PATH,
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'List the prompts of a terminal',
        description:
          'In the order in which they were queued, also those that have ended. Shows the beginnings of long ones.',
        tags,
        params: IdParams,
        response: { 200: PromptList, ...failures('terminal-not-found') },
      },
    },
    async ({ params: { id } }) => ({ prompts: prompts.list({ terminalId: id }) }),
  );

  app.get(
    `${PATH}/:promptId`,
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get a prompt',
        description:
          'With its whole text, as long as it has not ended. Also of a terminal that is closed by now.',
        tags,
        params: PromptParams,
        response: { 200: Prompt, ...failures('terminal-not-found', 'prompt-not-found') },
      },
    },
    async ({ params: { id, promptId } }) => prompts.get(id, promptId),
  );

  app.get(
    '/api/prompts',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'List the prompts of all terminals',
        description:
          'In the order in which they were queued, also those that have ended, and of terminals that are closed by now.',
        tags,
        querystring: PromptsQuery,
        response: { 200: PromptList },
      },
    },
    async ({ query, rights }) => ({ prompts: prompts.list({ ...query, sees: (id) => rights.sees(id) }) }),
  );
}

function newPromptId(): string {
  return `pr_${randomBytes(8).toString('hex')}`;
}
