import type { FileHandle } from 'node:fs/promises';
import { RECORDING_SLICE_BYTES } from '../../contract/limits.js';
import type { ExportFormat } from '../../contract/recording.js';
import type { ExportSlice } from '../../workers/jobs/export/export-recording.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import type { RedactionPlan } from '../../workers/redaction/secret-finder.js';

/**
 * Yields a finished recording in another format, a slice for each turn: no slice is made before it is requested. The
 * memory of a slice is reused for the next. Closes the file at the end.
 *
 * @param redaction - how secrets are found; undefined to export the recording as it is
 */
export async function* exportSlices(
  jobs: Pick<JobPool, 'run'>,
  file: FileHandle,
  format: ExportFormat,
  redaction: RedactionPlan | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  try {
    let slice: ExportSlice = await jobs.run('exportRecording', { fd: file.fd, format, redaction });
    yield slice.chunk;
    while (slice.cursor) {
      const { chunk, cursor }: ExportSlice = slice;
      const spare = chunk.buffer;
      const transfer = [cursor.memory, spare];
      const next = { fd: file.fd, format, redaction, cursor, spare };
      slice = await jobs.run('exportRecording', next, { transfer });
      yield slice.chunk;
    }
  } finally {
    await file.close();
  }
}

/** Yields a file as it is, in slices whose memory is reused for the next. Closes the file at the end. */
export async function* fileSlices(file: FileHandle): AsyncGenerator<Uint8Array, void, void> {
  try {
    const memory = Buffer.allocUnsafeSlow(RECORDING_SLICE_BYTES);
    for (;;) {
      const { bytesRead } = await file.read(memory);
      if (bytesRead === 0) return;
      yield memory.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}
