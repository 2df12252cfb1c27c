import { closeSync, fdatasync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { DomainError } from '../contract/errors.js';
import { RECORDING_SLICE_BYTES, RECORDING_SYNC_BYTES } from '../contract/limits.js';
import type { RecordingEvent } from '../contract/recording.js';
import { diskOfSync, isFullForRecordings } from './disk.js';
import { encodeHead, type RecordingHead, type RecordingJournal } from './recording-head.js';
import { readEvents, readHead } from './recording-reader.js';

/** Closes the events and the object. It follows the last event, and the next event overwrites it. */
const TAIL = '\n]}\n';

/** Endings of the file names of running and of finished recordings. */
export const RUNNING = '.recording';
export const FINISHED = '.json';

/** Progress of a recording, besides the length of its file. */
export type RecordingProgress = Omit<RecordingJournal, 'length'>;

type RunningHead = RecordingHead & { journal: RecordingJournal };

const sync = promisify(fdatasync);

/** Returns the path to which the running recording `path` is renamed when it is finished. */
function finishedPath(path: string): string {
  return path.slice(0, -RUNNING.length) + FINISHED;
}

/** Returns an event as it is in the file: on a line of its own after the separator. */
export function encodeEvent(event: RecordingEvent, isFirst: boolean): string {
  return `${isFirst ? '' : ','}\n${JSON.stringify(event)}`;
}

/**
 * The file of a running recording, for its only writer. At any moment it is the JSON that it will be in the end, except
 * for the numbers in its head, so that ending it costs nothing whatever its size.
 *
 * Events are written first, then the head that counts them, so that a head never counts events that are missing. All
 * methods throw the errors of the file system; events that were appended before stay.
 */
export class RecordingFile {
  readonly #path: string;
  readonly #fd: number;
  /** Size of the head in bytes. */
  readonly #width: number;
  #head: RunningHead;
  #unsynced = 0;
  #syncing: Promise<void> = Promise.resolve();
  #isSyncing = false;
  #syncFault: Error | undefined;

  private constructor(path: string, fd: number, head: RunningHead, width: number) {
    this.#path = path;
    this.#fd = fd;
    this.#head = head;
    this.#width = width;
  }

  /** Creates the file of a new recording, which must not exist yet. Throws `storage-full`. */
  static create(
    path: string,
    facts: Omit<RecordingHead, 'journal'>,
    begin: RecordingProgress,
  ): RecordingFile {
    refuseIfFull(path);
    const width = Buffer.byteLength(encodeHead({ ...facts, journal: { ...begin, length: 0 } }));
    const head = { ...facts, journal: { ...begin, length: width } };
    const file = new RecordingFile(path, openSync(path, 'wx', 0o600), head, width);
    try {
      file.#cut();
    } catch (error) {
      closeSync(file.#fd);
      throw error;
    }
    return file;
  }

  /**
   * Continues a recording that another thread or process has left. Drops the events after its last head, because the
   * output from there on comes again. Returns undefined if the recording is finished already.
   */
  static resume(path: string): RecordingFile | undefined {
    const fd = openSync(path, 'r+');
    try {
      const { head, width } = readHead(fd, path);
      const { journal } = head;
      if (journal) {
        const file = new RecordingFile(path, fd, { ...head, journal }, width);
        file.#cut();
        return file;
      }
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    closeSync(fd);
    return undefined;
  }

  /**
   * Opens a recording that nobody continues, based on what its file really holds: after a power loss, the head may be
   * older or newer than the events. A torn end is not counted, and is cut off by `finish`. Also returns when the
   * recording was last written.
   */
  static recover(path: string): { file: RecordingFile; lastWrite: Date } {
    const fd = openSync(path, 'r+');
    try {
      const { head, width } = readHead(fd, path);
      const events = countEvents(fd, width);
      const { initial_size: size } = head.metadata;
      const journal = { position: 0, pending: '', ...size, ...head.journal, ...events.journal };
      const recounted = { ...head, event_count: events.count, size: events.size, journal };
      const written = Math.max(fstatSync(fd).mtimeMs, Date.parse(head.start_time) + events.journal.timestamp);
      const lastWrite = head.end_time === null ? new Date(written) : new Date(head.end_time);
      return { file: new RecordingFile(path, fd, recounted, width), lastWrite };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  get head(): Readonly<RunningHead> {
    return this.#head;
  }

  /**
   * Appends events, as {@link encodeEvent} made them.
   *
   * @param size - bytes of their data together
   * @param journal - progress of the recording including these events
   */
  append(lines: string, count: number, size: number, journal: RecordingProgress): void {
    if (this.#syncFault) throw this.#syncFault;
    refuseIfFull(this.#path);
    const { length } = this.#head.journal;
    const written = writeAll(this.#fd, lines + TAIL, length);
    this.#head = {
      ...this.#head,
      event_count: this.#head.event_count + count,
      size: this.#head.size + size,
      journal: { ...journal, length: length + written - TAIL.length },
    };
    writeAll(this.#fd, encodeHead(this.#head, this.#width), 0);
    this.#syncSometimes(written);
  }

  /**
   * Ends the recording at `endTime` and renames its file; cuts off the remains of a failed append. When this rejects,
   * the file stays that of a running recording, which the next start ends.
   *
   * @param isTruncated - whether an append has failed, or data has not come
   */
  async finish(endTime: Date, isTruncated = false): Promise<void> {
    try {
      this.#cut();
      const { journal: _, ...facts } = this.#head;
      const head = {
        ...facts,
        end_time: endTime.toISOString(),
        ...(isTruncated && { truncated: true as const }),
      };
      writeAll(this.#fd, encodeHead(head, this.#width), 0);
      await this.#syncing;
      if (this.#syncFault) throw this.#syncFault;
      await sync(this.#fd);
      await rename(this.#path, finishedPath(this.#path));
    } finally {
      await this.#syncing;
      closeSync(this.#fd);
    }
  }

  /** Writes only to blocks that the file has had since its last complete append, so it works on a full disk. */
  #cut(): void {
    const { length } = this.#head.journal;
    writeAll(this.#fd, encodeHead(this.#head, this.#width), 0);
    const written = writeAll(this.#fd, TAIL, length);
    ftruncateSync(this.#fd, length + written);
  }

  #syncSometimes(written: number): void {
    this.#unsynced += written;
    if (this.#unsynced < RECORDING_SYNC_BYTES || this.#isSyncing) return;
    this.#unsynced = 0;
    this.#isSyncing = true;
    this.#syncing = sync(this.#fd)
      .catch((error: Error) => {
        this.#syncFault = error;
      })
      .finally(() => {
        this.#isSyncing = false;
      });
  }
}

/** Throws `storage-full` if little space is left, which is reserved for the small store. */
function refuseIfFull(path: string): void {
  if (isFullForRecordings(diskOfSync(dirname(path)))) throw new DomainError('storage-full');
}

function countEvents(fd: number, width: number) {
  const totals = { count: 0, size: 0, journal: { length: width, timestamp: 0 } };
  const memory = Buffer.allocUnsafe(RECORDING_SLICE_BYTES);
  for (let from: number | undefined = width; from !== undefined; ) {
    const { events, next, end } = readEvents(fd, from, memory);
    for (const event of events) totals.size += Buffer.byteLength(event.data);
    totals.count += events.length;
    const timestamp = events.at(-1)?.timestamp ?? totals.journal.timestamp;
    totals.journal = { timestamp, length: events.length > 0 ? end : totals.journal.length };
    from = next;
  }
  return totals;
}

/**
 * Writes all of a text and returns its length in bytes. A write may be short when the disk fills up; the next write
 * then throws. Strings are encoded during the write, since buffers would stay resident for a while.
 */
function writeAll(fd: number, text: string, position: number): number {
  const length = Buffer.byteLength(text);
  let written = writeSync(fd, text, position);
  if (written === length) return length;
  const bytes = Buffer.from(text, 'utf8');
  while (written < length) written += writeSync(fd, bytes, written, length - written, position + written);
  return length;
}
