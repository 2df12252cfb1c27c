import { z } from 'zod';
import { DomainError } from '../../contract/errors.js';
import { SessionAnswer, SessionBody } from '../../contract/session.js';
import { needs } from '../access/needs.js';
import type { Sessions } from '../dashboard/sessions.js';
import { failures } from '../failures.js';
import { challengeOf } from '../guard.js';
import type { App } from '../validation.js';

/** Routes of the dashboard's login need no token, but an instance may be named. */
const OPEN = { tags: ['Dashboard'], security: [] };
const COMMON = ['not-found', 'other-instance'] as const;

/** `/session`, on the dashboard's listener only: where each client needs a token, a page logs in here. */
export function registerSession(
  app: App,
  sessions: Pick<Sessions, 'isNeeded' | 'isShownBy' | 'begin' | 'end'>,
): void {
  app.register(async (routes: App) => {
    // Before the body is read: elsewhere there is no such route.
    routes.addHook('onRequest', async (request) => {
      if (!request.isFromDashboard) throw new DomainError('not-found');
    });

    routes.get(
      '/session',
      {
        config: needs([], 'open'),
        schema: {
          ...OPEN,
          summary: 'Look whether the dashboard needs a login',
          description: 'Served on the port of the dashboard only.',
          response: { 200: SessionAnswer, ...failures(...COMMON) },
        },
      },
      async ({ headers }) => ({ needed: sessions.isNeeded, active: sessions.isShownBy(headers) }),
    );

    routes.post(
      '/session',
      {
        config: needs([], 'open'),
        schema: {
          ...OPEN,
          summary: 'Log a browser in',
          description:
            'While each client needs a token (the service is exposed, or guarded), sets a cookie that stands for the token on the port of the dashboard. It counts ' +
            'only for pages of the dashboard itself, ends after 12 h without a request, when the service ends, and when the ' +
            'token is rotated, except for the session that rotates it. Five wrong tokens within a minute from one address, ' +
            'or thirty in all, make each further try a 429. Otherwise it does nothing. Served on ' +
            'the port of the dashboard only.',
          body: SessionBody,
          response: {
            204: z.void().describe('The session has begun, or none is needed'),
            ...failures('unauthorized', 'too-many-tries', ...COMMON),
          },
        },
      },
      async (request, reply) => {
        const login = sessions.begin(request.body.token, request.raw.socket.remoteAddress ?? '');
        if ('refusal' in login) {
          if (login.waitMs > 0) reply.header('retry-after', Math.ceil(login.waitMs / 1_000));
          else reply.header('www-authenticate', challengeOf(request.headers));
          throw login.refusal;
        }
        request.isStrange = false;
        if (login.cookie !== undefined) reply.header('set-cookie', login.cookie);
        return reply.code(204).send();
      },
    );

    routes.delete(
      '/session',
      {
        config: needs([], 'open'),
        schema: {
          ...OPEN,
          summary: 'Log the browser out',
          description: 'Open WebSockets stay open. Served on the port of the dashboard only.',
          response: {
            204: z.void().describe('The session has ended, or there was none'),
            ...failures(...COMMON),
          },
        },
      },
      async (request, reply) => reply.header('set-cookie', sessions.end(request.headers)).code(204).send(),
    );
  });
}
