import { type FileHandle, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { NotAFile, openRegular } from '../../config/regular-file.js';
import { DomainError } from '../../contract/errors.js';
import { MAX_RECORDING_HEAD_BYTES } from '../../contract/limits.js';
import { FINISHED, RUNNING } from '../../store/recording-file.js';
import { decodeHead, type RecordingHead } from '../../store/recording-head.js';
import { DamagedRecording } from '../../store/recording-reader.js';

/** Number of files read at once. */
const READ_AT_ONCE = 32;

/** The files of all recordings: one for each recording, named by its id. */
export class RecordingFolder {
  readonly #path: string;
  readonly #logger: Logger;

  constructor(path: string, logger: Logger) {
    this.#path = path;
    this.#logger = logger;
  }

  runningPath(id: string): string {
    return join(this.#path, id + RUNNING);
  }

  /**
   * Returns the heads of all files that are recordings. A file that is no recording is renamed, and a file that cannot
   * be read is left where it is, each with a line in the log.
   */
  async load(): Promise<{ running: RecordingHead[]; finished: RecordingHead[] }> {
    const names = await readdir(this.#path);
    const load = (ending: string) => {
      const ids = names.filter((name) => name.endsWith(ending)).map((name) => name.slice(0, -ending.length));
      return readEach(ids, (id) => this.#loadOne(id, ending));
    };
    return { running: await load(RUNNING), finished: await load(FINISHED) };
  }

  /**
   * Returns the heads of running recordings, by id, as their shards have written them last. One that cannot be read is
   * left out: it may have been finished meanwhile.
   */
  async readRunning(ids: readonly string[]): Promise<Map<string, RecordingHead>> {
    const heads = await readEach(ids, (id) => this.#readHead(id, RUNNING).catch(() => undefined));
    return new Map(heads.map((head) => [head.id, head]));
  }

  /**
   * Returns the head of a finished recording; undefined when there is none of this id. Throws when it cannot be read.
   */
  async readFinished(id: string): Promise<RecordingHead | undefined> {
    try {
      return await this.#readHead(id, FINISHED);
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** Opens a finished recording for reading. Throws `recording-not-found` when its file has gone. */
  async open(id: string): Promise<FileHandle> {
    try {
      return await openRegular(join(this.#path, id + FINISHED));
    } catch (error) {
      throw isMissing(error) ? new DomainError('recording-not-found') : error;
    }
  }

  /** Removes all files of a recording. */
  async remove(id: string): Promise<void> {
    for (const ending of [RUNNING, FINISHED]) await rm(join(this.#path, id + ending), { force: true });
  }

  /** Renames a file that is no recording, so that somebody can examine it. */
  async #setAside(id: string, ending: string, reason: Error): Promise<void> {
    const file = join(this.#path, id + ending);
    this.#logger.error({ err: reason, file }, 'a recording cannot be read and is set aside');
    await rename(file, `${file}.damaged`);
  }

  async #loadOne(id: string, ending: string): Promise<RecordingHead | undefined> {
    try {
      return await this.#readHead(id, ending);
    } catch (error) {
      // System errors, such as too many open files, may be gone at the next start, so the file stays.
      const isDamaged = error instanceof DamagedRecording || error instanceof NotAFile;
      const left = isDamaged ? this.#setAside(id, ending, error) : Promise.reject(error);
      await left.catch((err: unknown) =>
        this.#logger.error({ err, recording: id }, 'a recording that cannot be read stays where it is'),
      );
      return undefined;
    }
  }

  async #readHead(id: string, ending: string): Promise<RecordingHead> {
    const handle = await openRegular(join(this.#path, id + ending));
    try {
      const buffer = Buffer.alloc(MAX_RECORDING_HEAD_BYTES);
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
      const head = decodeHead(buffer.subarray(0, bytesRead))?.head;
      if (head?.id !== id)
        throw new DamagedRecording(`the file does not begin with the head of recording ${id}`);
      return head;
    } finally {
      await handle.close();
    }
  }
}

/** Reads the heads of recordings, a few at a time. */
async function readEach(
  ids: readonly string[],
  read: (id: string) => Promise<RecordingHead | undefined>,
): Promise<RecordingHead[]> {
  const heads: RecordingHead[] = [];
  for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
    const some = ids.slice(from, from + READ_AT_ONCE).map(read);
    heads.push(...(await Promise.all(some)).filter((head) => head !== undefined));
  }
  return heads;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
