import { z } from 'zod';
import type { Rights } from '../../actors/access/rights.js';
import { type ExportFormat, ExportRecording } from '../../contract/recording.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { Downloads, Slices } from '../send-slices.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

export interface RecordingExportOptions {
  recordings: { export(id: string, format: ExportFormat, isRedacted: boolean): Promise<Slices> };
  downloads: Downloads;
  /**
   * Waits while the recording is being finished. Throws recording-not-found if the client must not know of it.
   */
  requireSeen: (rights: Rights, id: string) => Promise<void>;
  /** Returns the setting `recordings.redactExports`. */
  redactsExports: () => boolean;
}

/** Media type and file name ending of each format. */
const FILES: Record<ExportFormat, { type: string; ending: string }> = {
  json: { type: 'application/json', ending: 'json' },
  text: { type: 'text/plain', ending: 'text' },
  html: { type: 'text/html', ending: 'html' },
  asciicast: { type: 'application/json', ending: 'cast' },
};

/** Describes a streamed answer for the document; no schema validates the answer. */
export function streamed(description: string, types: Record<string, z.ZodType>) {
  const content = Object.entries(types).map(([type, schema]) => [type, { schema }] as const);
  return { description, content: Object.fromEntries(content) };
}

/** `POST /api/recordings/:id/export`: a recording in another format. */
export function registerRecordingExport(
  app: App,
  { recordings, downloads, requireSeen, redactsExports }: RecordingExportOptions,
): void {
  app.post(
    '/api/recordings/:id/export',
    {
      config: needs('record', 'filtered'),
      schema: {
        summary: 'Download a recording in another format',
        description:
          'Only `json` contains input and resizes. `the service`, `asciinema`, `asciicast` and `cast` all ' +
          'mean asciicast v2. Where secrets are replaced, the name of the file contains `.redacted`.',
        tags: ['Recordings'],
        params: IdParams,
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
      await requireSeen(request.rights, id);
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
