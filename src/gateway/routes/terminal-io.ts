import { z } from 'zod';
import { ERRORS } from '../../contract/errors.js';
import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import { TerminalSize } from '../../contract/terminal.js';
import { orIfUnknown } from '../errors.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { TerminalParams } from './params.js';

const InputBody = z.object({ data: z.string() });

/** A count in a query string: digits only, and few enough to stay an exact number. */
const count = z
  .string()
  .regex(/^\d{1,15}$/, 'must be a whole number, 0 or more')
  .transform(Number);

const OutputQuery = z.object({
  lines: count.optional(),
  /** Alias of `lines`, which wins. */
  last_lines: count.optional(),
  offset: count.default(0),
  /** A cursor of an earlier answer: only what was printed after it. */
  since: z.string().optional(),
});

/** What routes of the 200-quirk say about a terminal that is not there (SPEC.md, Errors). */
const UNKNOWN = { error: ERRORS['terminal-not-found'].message };
const UNKNOWN_OUTPUT = { totalLines: 0, offset: 0, raw: '' };
const UNKNOWN_SNAPSHOT = { snapshot: '', rows: 0, cols: 0 };

/** Typing into a terminal, its size, and reading what it shows. */
export function registerTerminalIo(app: App, terminals: TerminalsPort): void {
  const params = TerminalParams;

  app.get('/api/terminals/:id/size', { schema: { params } }, async (request) =>
    terminals.size(request.params.id),
  );

  for (const path of ['/api/terminals/:id/size', '/api/terminals/:id/resize']) {
    app.post(path, { schema: { params, body: TerminalSize } }, ({ params: { id }, body }) =>
      orIfUnknown(async () => {
        await terminals.resize(id, body);
        return { status: 'ok', ...body };
      }, UNKNOWN),
    );
  }

  app.post('/api/terminals/:id/input', { schema: { params, body: InputBody } }, ({ params: { id }, body }) =>
    orIfUnknown(async () => {
      await terminals.type(id, [{ data: body.data }], 'api');
      return { status: 'ok' };
    }, UNKNOWN),
  );

  app.get('/api/terminals/:id/output', { schema: { params, querystring: OutputQuery } }, (request) => {
    const { lines, last_lines, offset, since } = request.query;
    const wanted = lines ?? last_lines ?? (since === undefined ? DEFAULT_OUTPUT_LINES : undefined);
    return orIfUnknown(
      () => terminals.output(request.params.id, { lines: wanted, offset, since }),
      UNKNOWN_OUTPUT,
    );
  });

  app.get('/api/terminals/:id/snapshot', { schema: { params } }, (request) =>
    orIfUnknown(() => terminals.snapshot(request.params.id), UNKNOWN_SNAPSHOT),
  );
}
