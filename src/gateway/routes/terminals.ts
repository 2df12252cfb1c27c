import { z } from 'zod';
import { CreateTerminal } from '../../contract/terminal.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { TerminalParams } from './params.js';

const ListQuery = z.object({ status: z.enum(['running', 'all']).default('running') });

/** Without a body, a terminal of the defaults. */
const CreateBody = CreateTerminal.prefault({});

/** `/api/terminals`: list, create, look up, close. */
export function registerTerminals(app: App, terminals: TerminalsPort): void {
  app.get('/api/terminals', { schema: { querystring: ListQuery } }, async (request) => ({
    terminals: terminals.list(request.query.status),
  }));

  app.post('/api/terminals', { schema: { body: CreateBody } }, (request) =>
    terminals.create(request.body, 'api'),
  );

  app.get('/api/terminals/:id', { schema: { params: TerminalParams } }, async (request) =>
    terminals.get(request.params.id),
  );

  app.delete('/api/terminals/:id', { schema: { params: TerminalParams } }, async (request) => {
    await terminals.close(request.params.id);
    return { status: 'ok' };
  });
}
