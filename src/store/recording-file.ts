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

/** Closes the events and the object: it stands behind the last event, where the next one overwrites it. */
const TAIL = '\n]}\n';

/** What a running recording is called, and what it is called when it has ended. */
export const RUNNING = '.recording';
export const FINISHED = '.json';

/** How far a recording has come, beside the length of its file. */
export type Progress = Omit<RecordingJournal, 'length'>;

type RunningHead = RecordingHead & { journal: RecordingJournal };

const sync = promisify(fdatasync);

/** Where the running recording `path` goes when it is finished. */
function finishedPath(path: string): string {
  return path.slice(0, -RUNNING.length) + FINISHED;
}

/** One event as it stands in the file, on a line of its own behind the separator. */
export function encodeEvent(event: RecordingEvent, isFirst: boolean): string {
  return `${isFirst ? '' : ','}\n${JSON.stringify(event)}`;
}

/**
 * The file of a running recording, for its one writer. At each moment it is the JSON that it will be in the end,
 * but for the numbers in its head, so that ending it costs nothing whatever its size.
 *
 * Events are written first, then the head that counts them: a head always speaks for what is there. All methods
 * throw what the file system says; what was appended before stays.
 */
export class RecordingFile {
  readonly #path: string;
  readonly #fd: number;
  /** Bytes of the head. */
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

  /** Makes the file of a new recording, which must not be there yet. Throws `storage-full`. */
  static create(path: string, facts: Omit<RecordingHead, 'journal'>, begin: Progress): RecordingFile {
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
   * Goes on with a recording that another thread or process has left. What was written after its last head is
   * dropped: the output of it comes again. Undefined when it is finished already.
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
   * Takes up a recording that nobody goes on with, by what its file really holds: a head may be older than its
   * events, or newer, after the machine has lost its power. What was torn is cut off. Answers when it was last
   * written, too.
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
   * @param journal - how far the recording has come with them
   */
  append(lines: string, count: number, size: number, journal: Progress): void {
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
   * Ends the recording at `endTime` and renames its file; what an append that failed has left is cut off. When this
   * rejects, the file is left as a running one, to be ended at the next start.
   *
   * @param isTruncated - whether an append has failed
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

  /** All of it lies in blocks that the file has had since its last whole append: a full disk does not refuse them. */
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

/** The last of the disk is for the small store. */
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
 * Writes all of a text and answers its bytes. A write may be a short one, when the disk is full in the midst of it:
 * the next one says so. Strings are encoded where they are written; buffers would stay resident for a while.
 */
function writeAll(fd: number, text: string, position: number): number {
  const length = Buffer.byteLength(text);
  let written = writeSync(fd, text, position);
  if (written === length) return length;
  const bytes = Buffer.from(text, 'utf8');
  while (written < length) written += writeSync(fd, bytes, written, length - written, position + written);
  return length;
}
