import { z } from 'zod';
import { pause } from '../../actors/abortable.js';
import type { Access } from '../../actors/access/access.js';
import {
  CreatedToken,
  OwnAccess,
  RotateBody,
  SelfQuery,
  TokenBody,
  TokenList,
} from '../../contract/access.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { LongPolls } from '../long-polls.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

const DESCRIPTION = `The answer shows the token once; the service keeps its SHA-256. Tokens count while the setting \`access.mode\` is
\`guarded\`, and can be made before.

- A request shows it as \`Authorization: Bearer\`, an upgrade to a WebSocket also as \`token\` in its query. Without a valid token
  the answer is 401, without a verb that the route needs (\`x-verbs\`) 403 \`verb-missing\`.
- With \`selector\` or \`own\`, terminals outside are as if they did not exist: lists, events and searches leave them out, and
  their ids are answered 404. Routes that are about all terminals (\`x-reach\`: \`whole\`) are 403 \`outside-scope\`.
- A batch that names a terminal outside is refused as a whole, 404.
- A terminal that is created with \`grant\` has a token of its own in the variable \`AUTO_TERMINAL_TOKEN\`, which ends with it.`;

/** `/api/tokens`: what clients may do in guarded mode. */
export function registerTokens(app: App, { access, polls }: { access: Access; polls: LongPolls }): void {
  const tags = ['Tokens'];
  const { tokens } = access;

  app.get(
    '/api/tokens/self',
    {
      config: needs([], 'none'),
      schema: {
        summary: 'Get what the client may do',
        tags,
        querystring: SelfQuery,
        response: { 200: OwnAccess },
      },
    },
    async (request, reply) => {
      const { rights } = request;
      const { waitMs } = request.query;
      if (waitMs > 0) await polls.hold(request, reply, (signal) => pause(waitMs, signal));
      return {
        mode: access.isGuarded ? ('guarded' as const) : ('open' as const),
        verbs: [...rights.verbs],
        token: rights.holder ? tokens.shown(rights.holder) : null,
      };
    },
  );

  app.get(
    '/api/tokens',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'List the tokens',
        description: 'Those that are valid, oldest first; never their text.',
        tags,
        response: { 200: TokenList },
      },
    },
    async () => ({ tokens: tokens.list() }),
  );

  app.post(
    '/api/tokens',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Make a token',
        description: DESCRIPTION,
        tags,
        body: TokenBody,
        response: { 201: CreatedToken, ...failures('too-many-tokens') },
      },
    },
    async ({ body }, reply) => {
      const { holder, text } = await tokens.create(body);
      return reply.code(201).send({ ...tokens.shown(holder), token: text });
    },
  );

  app.post(
    '/api/tokens/:id/rotate',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Give a token another text',
        description:
          'The answer shows the new text once. The token keeps its id, its verbs and its terminals, and tokens made from it ' +
          'stay. The text so far ends at once, with all requests, streams and WebSockets that are open with it, or after ' +
          '`overlapMs`.',
        tags,
        params: IdParams,
        body: RotateBody,
        response: { 200: CreatedToken, ...failures('token-not-found') },
      },
    },
    async ({ params, body }) => {
      const { holder, text } = await tokens.rotate(params.id, body);
      return { ...tokens.shown(holder), token: text };
    },
  );

  app.delete(
    '/api/tokens/:id',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Delete a token',
        description:
          'It is worth nothing from then on, nor are tokens made from it. Requests, streams and WebSockets that are open ' +
          'with them are broken off. What their runs have typed goes on.',
        tags,
        params: IdParams,
        response: { 204: z.void().describe('The token was deleted'), ...failures('token-not-found') },
      },
    },
    async (request, reply) => {
      await tokens.delete(request.params.id);
      return reply.code(204).send();
    },
  );
}
