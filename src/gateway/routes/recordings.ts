import { z } from 'zod';
import {
  ActiveRecordings,
  ActiveRecordingsQuery,
  type ExportFormat,
  ExportRecording,
  Recording,
  RecordingInfo,
  RecordingStarted,
  RecordingStatus,
  RecordingStopped,
  RecordingSummary,
  StartRecording,
} from '../../contract/recording.js';
import { failures } from '../failures.js';
import { Downloads, type Slices } from '../send-slices.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The recordings, as the gateway calls them. Every promise settles: with a result, or with a DomainError. */
export interface RecordingsPort {
  /** Throws terminal-not-found, already-recorded. */
  start(request: StartRecording): Promise<RecordingStarted>;
  /** Throws recording-not-active. */
  stop(id: string): Promise<RecordingStopped>;
  status(terminalId: string): RecordingStatus;
  active(query: ActiveRecordingsQuery): Promise<ActiveRecordings>;
  list(): RecordingSummary[];
  /** Throws recording-not-found, as do all methods below. */
  info(id: string): RecordingInfo;
  read(id: string): Promise<{ json: Slices; bytes: number }>;
  export(id: string, format: ExportFormat, isRedacted: boolean): Promise<Slices>;
  delete(id: string): Promise<void>;
}

/** Media type and file name ending of each format. */
const FILES: Record<ExportFormat, { type: string; ending: string }> = {
  json: { type: 'application/json', ending: 'json' },
  text: { type: 'text/plain', ending: 'text' },
  html: { type: 'text/html', ending: 'html' },
  asciicast: { type: 'application/json', ending: 'cast' },
};

/** Describes a streamed answer for the document; no schema validates the answer. */
function streamed(description: string, types: Record<string, z.ZodType>) {
  const content = Object.entries(types).map(([type, schema]) => [type, { schema }] as const);
  return { description, content: Object.fromEntries(content) };
}

const StatusParams = z.object({ terminalId: z.string() });

/**
 * `/api/recordings`: starts and stops recordings. Only stopped recordings can be listed with their facts, read or
 * deleted.
 *
 * @param redactsExports - the setting `recordings.redactExports`
 */
export function registerRecordings(
  app: App,
  recordings: RecordingsPort,
  redactsExports: () => boolean,
): void {
  const tags = ['Recordings'];
  const params = IdParams;
  const downloads = new Downloads();

  app.post(
    '/api/recordings/start',
    {
      schema: {
        summary: 'Start recording a terminal',
        description:
          'The recording begins with the next output. It continues over restarts of the service, until it ' +
          'is stopped or the terminal is removed.',
        tags,
        body: StartRecording,
        response: { 201: RecordingStarted, ...failures('terminal-not-found', 'already-recorded') },
      },
    },
    async ({ body }, reply) => reply.code(201).send(await recordings.start(body)),
  );

  app.post(
    '/api/recordings/stop/:id',
    {
      schema: {
        summary: 'Stop a recording',
        description:
          'A recording that ended early (`truncated`), for example because the disk was full, is already ' +
          'stopped; this request then returns its result, each time it is sent.',
        tags,
        params,
        response: { 200: RecordingStopped, ...failures('recording-not-active') },
      },
    },
    (request) => recordings.stop(request.params.id),
  );

  app.get(
    '/api/recordings',
    {
      schema: {
        summary: 'List the stopped recordings, newest first',
        tags,
        response: { 200: z.object({ recordings: z.array(RecordingSummary) }) },
      },
    },
    async () => ({ recordings: recordings.list() }),
  );

  app.get(
    '/api/recordings/active',
    {
      schema: {
        summary: 'List the active recordings',
        tags,
        querystring: ActiveRecordingsQuery,
        response: { 200: ActiveRecordings },
      },
    },
    (request) => recordings.active(request.query),
  );

  app.get(
    '/api/recordings/status/:terminalId',
    {
      schema: {
        summary: 'Tell whether a terminal is being recorded',
        description: 'An unknown terminal counts as not recorded.',
        tags,
        params: StatusParams,
        response: { 200: RecordingStatus },
      },
    },
    async (request) => recordings.status(request.params.terminalId),
  );

  app.get(
    '/api/recordings/:id',
    {
      schema: {
        summary: 'Get a recording with all its events',
        description: 'The answer is streamed, since it may be large. An active recording is not found here.',
        tags,
        params,
        response: {
          200: streamed('The recording', { 'application/json': Recording }),
          ...failures('recording-not-found'),
        },
      },
    },
    async (request, reply) => {
      await downloads.send(reply, async () => {
        const { json, bytes } = await recordings.read(request.params.id);
        reply.type('application/json').header('content-length', bytes);
        return json;
      });
    },
  );

  app.get(
    '/api/recordings/:id/info',
    {
      schema: {
        summary: 'Get a recording without its events',
        tags,
        params,
        response: { 200: RecordingInfo, ...failures('recording-not-found') },
      },
    },
    async (request) => recordings.info(request.params.id),
  );

  app.delete(
    '/api/recordings/:id',
    {
      schema: {
        summary: 'Delete a recording',
        description: 'An active recording is not found here; stop it first.',
        tags,
        params,
        response: { 204: z.void().describe('The recording was deleted'), ...failures('recording-not-found') },
      },
    },
    async (request, reply) => {
      await recordings.delete(request.params.id);
      return reply.code(204).send();
    },
  );

  app.post(
    '/api/recordings/:id/export',
    {
      schema: {
        summary: 'Download a recording in another format',
        description:
          'Only `json` contains input and resizes. `the service`, `asciinema`, `asciicast` and `cast` all ' +
          'mean asciicast v2. Where secrets are replaced, the name of the file contains `.redacted`.',
        tags,
        params,
        body: ExportRecording,
        response: {
          200: streamed('The file, as an attachment', {
            'application/json': z.unknown(),
            'text/plain': z.string(),
            'text/html': z.string(),
          }),
          ...failures('unsupported-format', 'recording-not-found'),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params;
      const { format, redact } = request.body;
      const { type, ending } = FILES[format];
      const isRedacted = redact ?? (format !== 'json' && redactsExports());
      const name = `recording-${id}${isRedacted ? '.redacted' : ''}.${ending}`;
      await downloads.send(reply, async () => {
        const slices = await recordings.export(id, format, isRedacted);
        reply.type(`${type}; charset=utf-8`).header('content-disposition', `attachment; filename="${name}"`);
        return slices;
      });
    },
  );
}
