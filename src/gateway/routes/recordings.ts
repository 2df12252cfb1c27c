import { z } from 'zod';
import type { Rights } from '../../actors/access/rights.js';
import { DomainError } from '../../contract/errors.js';
import {
  ActiveRecordings,
  ActiveRecordingsQuery,
  type ExportFormat,
  Recording,
  RecordingInfo,
  RecordingStarted,
  RecordingStatus,
  RecordingStopped,
  RecordingSummary,
  StartRecording,
} from '../../contract/recording.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import { Downloads, type Slices } from '../send-slices.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';
import { registerRecordingExport, streamed } from './recording-export.js';

/** The recordings, as the gateway calls them. Every promise settles: with a result, or with a DomainError. */
export interface RecordingsPort {
  /** Throws terminal-not-found, already-recorded. */
  start(request: StartRecording): Promise<RecordingStarted>;
  /** Throws recording-not-active. */
  stop(id: string): Promise<RecordingStopped>;
  status(terminalId: string): RecordingStatus;
  active(query: ActiveRecordingsQuery): Promise<ActiveRecordings>;
  /** Resolves once the methods below know the recording, if it has ended; without `id`, every recording that has ended. */
  settled(id?: string): Promise<void>;
  list(): RecordingSummary[];
  /** Throws recording-not-found, as do all methods below. */
  info(id: string): RecordingInfo;
  read(id: string): Promise<{ json: Slices; bytes: number }>;
  export(id: string, format: ExportFormat, isRedacted: boolean): Promise<Slices>;
  delete(id: string): Promise<void>;
  /** Returns the terminal of a recording that runs or is finished. */
  terminalOf(id: string): string | undefined;
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

  const sees = (rights: Rights, id: string) => rights.sees(recordings.terminalOf(id) ?? '');

  async function requireSeen(rights: Rights, id: string): Promise<void> {
    await recordings.settled(id);
    if (!sees(rights, id)) throw new DomainError('recording-not-found');
  }

  app.post(
    '/api/recordings/start',
    {
      config: needs('record', 'filtered'),
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
    async ({ body, rights }, reply) => {
      rights.requireSight([body.terminal_id]);
      return reply.code(201).send(await recordings.start(body));
    },
  );

  app.post(
    '/api/recordings/stop/:id',
    {
      config: needs('record', 'filtered'),
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
    async ({ params: { id }, rights }) => {
      await recordings.settled(id);
      if (!sees(rights, id)) throw new DomainError('recording-not-active');
      return recordings.stop(id);
    },
  );

  app.get(
    '/api/recordings',
    {
      config: needs('record', 'filtered'),
      schema: {
        summary: 'List the stopped recordings, newest first',
        tags,
        response: { 200: z.object({ recordings: z.array(RecordingSummary) }) },
      },
    },
    async ({ rights }) => {
      await recordings.settled();
      return { recordings: recordings.list().filter(({ terminalId }) => rights.sees(terminalId)) };
    },
  );

  app.get(
    '/api/recordings/active',
    {
      config: needs('record', 'filtered'),
      schema: {
        summary: 'List the active recordings',
        tags,
        querystring: ActiveRecordingsQuery,
        response: { 200: ActiveRecordings },
      },
    },
    async ({ query, rights }) => {
      const { activeRecordings, recordings: full } = await recordings.active(query);
      const ids = activeRecordings.filter((id) => sees(rights, id));
      const shown = full?.filter(({ id }) => ids.includes(id));
      return { activeRecordings: ids, count: ids.length, ...(shown && { recordings: shown }) };
    },
  );

  app.get(
    '/api/recordings/status/:terminalId',
    {
      config: needs('record', 'terminal'),
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
      config: needs('record', 'filtered'),
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
      await requireSeen(request.rights, request.params.id);
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
      config: needs('record', 'filtered'),
      schema: {
        summary: 'Get a recording without its events',
        tags,
        params,
        response: { 200: RecordingInfo, ...failures('recording-not-found') },
      },
    },
    async ({ params: { id }, rights }) => {
      await requireSeen(rights, id);
      return recordings.info(id);
    },
  );

  app.delete(
    '/api/recordings/:id',
    {
      config: needs('record', 'filtered'),
      schema: {
        summary: 'Delete a recording',
        description: 'An active recording is not found here; stop it first.',
        tags,
        params,
        response: { 204: z.void().describe('The recording was deleted'), ...failures('recording-not-found') },
      },
    },
    async (request, reply) => {
      await requireSeen(request.rights, request.params.id);
      await recordings.delete(request.params.id);
      return reply.code(204).send();
    },
  );

  registerRecordingExport(app, { recordings, downloads, requireSeen, redactsExports });
}
