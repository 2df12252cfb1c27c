import { Ok } from '../../contract/answers.js';
import { SearchHistory, SystemMetrics, TokenAnswer, TokenBody } from '../../contract/legacy.js';
import { needs } from '../access/needs.js';
import { createTokenIssuer } from '../legacy-token.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

const tags = ['Legacy'];

/** Without a body, the token names no client. */
const OptionalTokenBody = TokenBody.prefault({});

/** Registers the routes that older clients call and that do nothing. */
export function registerLegacy(app: App): void {
  registerStubs(app);
  const issue = createTokenIssuer();
  app.post(
    '/api/auth/token',
    {
      config: needs([], 'none'),
      schema: {
        summary: 'Get a token that grants no access',
        description:
          'Exposed mode does not accept this token. The credential is the setting `network.authToken`.',
        tags,
        deprecated: true,
        body: OptionalTokenBody,
        response: { 200: TokenAnswer },
      },
    },
    async ({ body }) => ({
      token: issue(body, Date.now()),
      expiresIn: '24h' as const,
      permissions: body.permissions,
    }),
  );
}

function registerStubs(app: App): void {
  const ok = async () => ({ status: 'ok' as const });

  app.post(
    '/api/profiles/:id/default',
    {
      config: needs([], 'none'),
      schema: {
        summary: 'Does nothing',
        description: 'The default profile is the setting `terminals.defaultProfile`.',
        tags,
        deprecated: true,
        params: IdParams,
        response: { 200: Ok },
      },
    },
    ok,
  );

  app.post(
    '/api/terminals/:id/reset',
    {
      config: needs('control', 'terminal'),
      schema: {
        summary: 'Does nothing',
        tags,
        deprecated: true,
        params: IdParams,
        response: { 200: Ok },
      },
    },
    ok,
  );

  app.get(
    '/api/system/metrics',
    {
      config: needs('read', 'none'),
      schema: {
        summary: 'Zeros',
        description: 'Real figures are at `/metrics` and, for each terminal, `/api/processes/{id}/metrics`.',
        tags,
        deprecated: true,
        response: { 200: SystemMetrics },
      },
    },
    async () => ({ cpu: 0 as const, memory: 0 as const, disk: 0 as const, network: 0 as const }),
  );

  app.get(
    '/api/search/history',
    {
      config: needs('search', 'none'),
      schema: {
        summary: 'Always empty',
        tags,
        deprecated: true,
        response: { 200: SearchHistory },
      },
    },
    async () => ({ history: [] }),
  );
}
