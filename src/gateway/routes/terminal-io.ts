import { z } from 'zod';
import { Ok } from '../../contract/answers.js';
import { DomainError } from '../../contract/errors.js';
import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import { OutputPage, Snapshot, TerminalSize } from '../../contract/terminal.js';
import { bodyOf, orIfUnknown } from '../errors.js';
import { ErrorBody, failures } from '../failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import { originOf } from '../origin.js';
import type { ScreensPort, TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { Count, IdParams } from './params.js';

const InputBody = z.object({
  data: z.string().describe('Written as it is, control characters included; nothing is added'),
});

const OutputQuery = z.object({
  lines: Count.optional().describe(`${DEFAULT_OUTPUT_LINES} when absent; with \`since\`, all`),
  last_lines: Count.optional().describe('Alias of `lines`, which wins'),
  offset: Count.default(0).describe('0: the last lines. n: forward from line n, counted from 0'),
  since: z.string().optional().describe('A cursor of an earlier answer: only what was printed after it'),
});

const SizeAnswer = z.object({ ...Ok.shape, ...TerminalSize.shape });

/** Answers about an unknown terminal, of the routes that answer 200 in that case. */
const UNKNOWN = bodyOf(new DomainError('terminal-not-found'));
const UNKNOWN_OUTPUT = { totalLines: 0, offset: 0, raw: '' };
const UNKNOWN_SNAPSHOT = { snapshot: '', rows: 0, cols: 0 };

const SNAPSHOT_DESCRIPTION = `A terminal that does not exist has the empty string, and a size of 0 by 0.

To go on from a snapshot with the live stream, without a byte lost or doubled: open \`/ws?terminals=ID&seq=1\` and keep its
frames; ask for the snapshot; write \`snapshot\` and then \`pending\` into a fresh terminal of \`cols\` by \`rows\`; drop the
frames whose \`seq\` is not above that of the snapshot, and write all others. A frame of a stream that was open before the
request ends exactly at the snapshot's \`seq\`. After \`terminal.resized\` (\`events=lifecycle\`), ask anew.`;

const OR_UNKNOWN = 'or, where there is no such terminal that runs, `error`: look at the body';

/** Routes that type into a terminal, read and set its size, and read its output and screen. */
export function registerTerminalIo(
  app: App,
  terminals: TerminalsPort,
  screens: ScreensPort,
  keys: IdempotencyKeys,
): void {
  registerSize(app, terminals);
  registerInput(app, terminals, keys);
  registerReads(app, screens);
}

function registerSize(app: App, terminals: TerminalsPort): void {
  const params = IdParams;
  const tags = ['Terminals'];

  app.get(
    '/api/terminals/:id/size',
    {
      schema: {
        summary: 'The size of a terminal',
        tags,
        params,
        response: { 200: TerminalSize, ...failures('terminal-not-found') },
      },
    },
    async (request) => terminals.size(request.params.id),
  );

  const schema = {
    summary: 'Resize a terminal',
    description: 'Answers once the program has been told. `/resize` is an alias of `/size`.',
    tags,
    params,
    body: TerminalSize,
    response: { 200: z.union([SizeAnswer, ErrorBody]).describe(`The new size; ${OR_UNKNOWN}`) },
  };
  for (const path of ['/api/terminals/:id/size', '/api/terminals/:id/resize']) {
    app.post(path, { schema }, ({ params: { id }, body }) =>
      orIfUnknown(async () => {
        await terminals.resize(id, body);
        return { status: 'ok' as const, ...body };
      }, UNKNOWN),
    );
  }
}

function registerInput(app: App, terminals: TerminalsPort, keys: IdempotencyKeys): void {
  app.post(
    '/api/terminals/:id/input',
    {
      schema: {
        summary: 'Type into a terminal',
        description:
          'The bytes of one request arrive whole and in order. What the program has not read yet is bounded at 1 MiB; a request over that is refused, and none of it is written.',
        tags: ['Input and output'],
        params: IdParams,
        headers: IdempotencyHeaders,
        body: InputBody,
        response: {
          200: z.union([Ok, ErrorBody]).describe(`Typed; ${OR_UNKNOWN}`),
          ...failures('key-reused', 'input-buffer-full', 'outcome-unknown'),
        },
      },
    },
    (request) =>
      orIfUnknown(async () => {
        const { params, body } = request;
        const { once } = await keys.begin(request, () => ({}));
        await terminals.type(params.id, [{ data: body.data }], originOf(request), { once });
        return { status: 'ok' as const };
      }, UNKNOWN),
  );
}

function registerReads(app: App, screens: ScreensPort): void {
  const params = IdParams;
  const tags = ['Input and output'];

  app.get(
    '/api/terminals/:id/output',
    {
      schema: {
        summary: 'Printed lines of a terminal',
        description:
          'Rows that the terminal wrapped are one line; trailing blanks and empty lines are left out. A terminal that does not exist has no lines.',
        tags,
        params,
        querystring: OutputQuery,
        response: { 200: OutputPage, ...failures('invalid-cursor') },
      },
    },
    (request) => {
      const { lines, last_lines, offset, since } = request.query;
      const wanted = lines ?? last_lines ?? (since === undefined ? DEFAULT_OUTPUT_LINES : undefined);
      return orIfUnknown(
        () => screens.output(request.params.id, { lines: wanted, offset, since }),
        UNKNOWN_OUTPUT,
      );
    },
  );

  app.get(
    '/api/terminals/:id/snapshot',
    {
      schema: {
        summary: 'The screen of a terminal, as escape sequences',
        description: SNAPSHOT_DESCRIPTION,
        tags,
        params,
        response: { 200: Snapshot },
      },
    },
    (request) => orIfUnknown(() => screens.snapshot(request.params.id), UNKNOWN_SNAPSHOT),
  );
}
