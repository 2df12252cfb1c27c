import { z } from 'zod';
import { Ok } from '../../contract/answers.js';
import { DomainError } from '../../contract/errors.js';
import { gateFields } from '../../contract/input-gate.js';
import { DEFAULT_OUTPUT_LINES } from '../../contract/limits.js';
import { OutputPage, Snapshot, TerminalSize } from '../../contract/terminal.js';
import { needs } from '../access/needs.js';
import { bodyOf, orIfUnknown } from '../errors.js';
import { ErrorBody, failures } from '../failures.js';
import { gateFailures } from '../gate-failures.js';
import { IdempotencyHeaders, type IdempotencyKeys } from '../idempotency.js';
import type { LongPolls } from '../long-polls.js';
import { originOf } from '../origin.js';
import type { ScreensPort, SizesPort, TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import type { Writers } from '../writers.js';
import { Count, IdParams } from './params.js';

const InputBody = z.object({
  data: z.string().describe('Written unchanged, control characters included; nothing is appended'),
  ...gateFields,
});

const OutputQuery = z.object({
  lines: Count.optional().describe(`Defaults to ${DEFAULT_OUTPUT_LINES}; with \`since\`, to all lines`),
  last_lines: Count.optional().describe('Alias of `lines`, which takes precedence'),
  offset: Count.default(0).describe(
    '0 returns the last lines; n returns lines forward from line n, counted from 0',
  ),
  since: z
    .string()
    .optional()
    .describe('A cursor of an earlier answer: returns only what was printed after it'),
});

const SizeAnswer = z.object({ ...Ok.shape, ...TerminalSize.shape });

/** Answers about an unknown terminal, of the routes that answer 200 in that case. */
const UNKNOWN = bodyOf(new DomainError('terminal-not-found'));
const UNKNOWN_OUTPUT = { totalLines: 0, offset: 0, raw: '' };
const UNKNOWN_SNAPSHOT = { snapshot: '', rows: 0, cols: 0 };

const SNAPSHOT_DESCRIPTION = `For a terminal that does not exist, the snapshot is empty and the size is 0 by 0.

To continue from a snapshot with the live stream, without losing or repeating a byte: open \`/ws?terminals=ID&seq=1\` and
keep its frames; request the snapshot; write \`snapshot\` and then \`pending\` into a fresh terminal of \`cols\` by
\`rows\`; drop the frames whose \`seq\` is not greater than that of the snapshot, and write all others. If the stream was
open before the request, one of its frames ends exactly at the snapshot's \`seq\`. After \`terminal.resized\`
(\`events=lifecycle\`), start again with a new snapshot.`;

const OR_UNKNOWN = 'or, if no such terminal is running, `error`: check the body';

export interface TerminalIoOptions {
  terminals: TerminalsPort;
  sizes: SizesPort;
  screens: ScreensPort;
  keys: IdempotencyKeys;
  writers: Writers;
  polls: LongPolls;
}

/** Routes that type into a terminal, read and set its size, and read its output and screen. */
export function registerTerminalIo(app: App, options: TerminalIoOptions): void {
  registerSize(app, options);
  registerInput(app, options);
  registerReads(app, options.screens);
}

function registerSize(app: App, { terminals, sizes }: TerminalIoOptions): void {
  const params = IdParams;
  const tags = ['Terminals'];

  app.get(
    '/api/terminals/:id/size',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get the size of a terminal',
        tags,
        params,
        response: { 200: TerminalSize, ...failures('terminal-not-found') },
      },
    },
    async (request) => terminals.size(request.params.id),
  );

  const schema = {
    summary: 'Resize a terminal',
    description:
      'Answers once the program has been notified. `/resize` is an alias of `/size`. While clients are attached, ' +
      'the size holds until the leading client resizes or another client leads; after the last client has left, ' +
      'the terminal has it again.',
    tags,
    params,
    body: TerminalSize,
    response: { 200: z.union([SizeAnswer, ErrorBody]).describe(`The new size; ${OR_UNKNOWN}`) },
  };
  for (const path of ['/api/terminals/:id/size', '/api/terminals/:id/resize']) {
    app.post(path, { config: needs('control', 'terminal'), schema }, ({ params: { id }, body }) =>
      orIfUnknown(async () => {
        await sizes.resize(id, body);
        return { status: 'ok' as const, ...body };
      }, UNKNOWN),
    );
  }
}

function registerInput(app: App, { terminals, keys, writers, polls }: TerminalIoOptions): void {
  app.post(
    '/api/terminals/:id/input',
    {
      config: needs('type', 'terminal'),
      schema: {
        summary: 'Type into a terminal',
        description:
          'The bytes of one request arrive whole and in order. At most 1 MiB of input may wait to be read ' +
          'by the program; a request that would exceed this is refused, and none of it is written.',
        tags: ['Input and output'],
        params: IdParams,
        headers: IdempotencyHeaders,
        body: InputBody,
        response: {
          200: z.union([Ok, ErrorBody]).describe(`Typed; ${OR_UNKNOWN}`),
          ...failures('key-reused', 'input-buffer-full', 'outcome-unknown'),
          ...gateFailures,
        },
      },
    },
    (request, reply) => {
      const { params, body } = request;
      const typed = writers.through({ polls, keys }, [request, reply], body, async (ask) => {
        const { once } = await keys.begin(request, () => ({}));
        await terminals.type(params.id, [{ data: body.data }], originOf(request), { once, ask });
        return { status: 'ok' as const };
      });
      return orIfUnknown(() => typed, UNKNOWN);
    },
  );
}

function registerReads(app: App, screens: ScreensPort): void {
  const params = IdParams;
  const tags = ['Input and output'];

  app.get(
    '/api/terminals/:id/output',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get the printed lines of a terminal',
        description:
          'Rows that the terminal wrapped are joined; trailing blanks and empty lines are left out. A ' +
          'terminal that does not exist has no lines.',
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
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get the screen of a terminal as escape sequences',
        description: SNAPSHOT_DESCRIPTION,
        tags,
        params,
        response: { 200: Snapshot },
      },
    },
    (request) => orIfUnknown(() => screens.snapshot(request.params.id), UNKNOWN_SNAPSHOT),
  );
}
