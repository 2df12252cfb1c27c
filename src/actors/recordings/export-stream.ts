import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { ExportFormat } from '../../contract/recording.js';
import type { ExportCursor } from '../../workers/jobs/export/export-recording.js';
import type { JobPool } from '../../workers/jobs/pool.js';

/**
 * A finished recording in another format, made slice by slice as it is read: in memory are two of them. Rejects when
 * the first cannot be made; a later one that fails destroys the stream. The file is closed in any case.
 */
export async function exportStream(
  jobs: Pick<JobPool, 'run'>,
  file: FileHandle,
  format: ExportFormat,
): Promise<Readable> {
  const make = (cursor?: ExportCursor) => {
    const transfer = cursor ? [cursor.memory] : [];
    return jobs.run('exportRecording', { fd: file.fd, format, cursor }, { transfer });
  };
  let next = make();
  try {
    await next;
  } catch (error) {
    await file.close();
    throw error;
  }
  return new Readable({
    encoding: 'utf8',
    read() {
      next.then(
        ({ text, cursor }) => {
          if (cursor && !this.destroyed) {
            next = make(cursor);
            // Who reads on hears of it.
            next.catch(() => undefined);
          }
          this.push(text, 'utf8');
          if (!cursor) this.push(null);
        },
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, done) {
      // Not while a job reads from it: its number may be another file's at once.
      next
        .catch(() => undefined)
        .then(() => file.close())
        .then(() => done(error), done);
    },
  });
}
