import { closeSync, fdatasync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import { AUDIT_SEGMENT_BYTES, AUDIT_SYNC_MS } from '../../contract/limits.js';
import { type AuditFields, encodeLine, hashOf } from './audit-line.js';
import { factsOf, type Segment, segmentAt, segmentsIn } from './segments.js';
import { findTail, type Tail } from './tail.js';

const DAY_MS = 24 * 60 * 60 * 1000;

const sync = promisify(fdatasync);

/** Limits of a log; the oldest files beyond them are deleted. */
export interface AuditKeeping {
  /** Bytes of all files together; 0 sets no limit. */
  maxBytes: number;
  /** Days; 0 sets no limit. */
  keepDays: number;
}

export interface AuditLogOptions {
  /** Folder that holds only the log; it is created with access for its owner alone. */
  folder: string;
  keeping: () => AuditKeeping;
  /** Called when lines could not be synced to the disk, so that a power loss may lose them. */
  onSyncFault: (error: unknown) => void;
  /** Epoch milliseconds; tests pass another clock. */
  now?: () => number;
}

/**
 * The log of clients' actions: JSON lines that are only appended, each with the hash of the line before, so that
 * a changed, removed or added line is detected. Removal of lines from the end is not detected.
 *
 * The system has a line once {@link append} has returned, so that it survives the death of the process; within a second
 * it is on the disk.
 */
export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #now: () => number;
  #tail: Tail;
  #fd: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Whether a write has failed, so that the end of the file is unknown. */
  #isBroken = false;
  /** Settles after the syncs so far, each of which comes before the close of its file. */
  #synced: Promise<void> = Promise.resolve();

  /** Continues the log in the folder. Throws the errors of the file system, and if the last line is no line of a log. */
  constructor(options: AuditLogOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.#tail = findTail(options.folder);
    if (this.#tail.cut > 0) this.append({ action: 'audit.mended', cutBytes: this.#tail.cut });
    this.trim();
  }

  /** Number of the last line; 0 if there is none. */
  get last(): number {
    return this.#tail.n;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Adds a line and returns its number. Throws the error of the file system; the line is then not in the log. */
  append(fields: AuditFields): number {
    if (this.#isBroken) this.#mend();
    // The clock of the machine may be set back; the lines stay in order.
    const at = Math.max(this.#now(), this.#tail.at);
    this.#beginSegment(at);
    const n = this.#tail.n + 1;
    const line = encodeLine({ n, at, prev: this.#tail.hash, fields });
    const bytes = Buffer.from(`${line}\n`);
    this.#write(bytes);
    this.#tail = { ...this.#tail, n, at, hash: hashOf(line), bytes: this.#tail.bytes + bytes.length };
    this.#timer ??= setTimeout(() => this.#sync(), AUDIT_SYNC_MS).unref();
    return n;
  }

  /** Deletes the oldest files beyond the limits, and logs that as a line. The last file always stays. */
  trim(): void {
    const { maxBytes, keepDays } = this.#options.keeping();
    const files = segmentsIn(this.#options.folder).map((segment) => ({ segment, ...factsOf(segment) }));
    let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
    const old: Segment[] = [];
    for (const { segment, ...file } of files.slice(0, -1)) {
      const isOld = keepDays > 0 && file.changedAt < this.#now() - keepDays * DAY_MS;
      if (!isOld && (maxBytes === 0 || bytes <= maxBytes)) break;
      old.push(segment);
      bytes -= file.bytes;
    }
    if (old.length > 0) this.#remove(old, files[old.length]!.segment.first);
  }

  /**
   * Deletes files. The line that says so comes before, so that a check of the log never finds the beginning gone without
   * it; on a full disk it comes after, in the room that they leave.
   */
  #remove(segments: readonly Segment[], first: number): void {
    const line = { action: 'audit.trimmed', first };
    const isTold = this.#appended(line);
    for (const { path } of segments) rmSync(path);
    if (!isTold) this.append(line);
  }

  /** Adds a line, and returns false if the disk has no room for it. */
  #appended(fields: AuditFields): boolean {
    try {
      this.append(fields);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') return false;
      throw error;
    }
  }

  /** Syncs all lines to the disk, and closes the file. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#retire();
    await this.#synced;
  }

  /** Begins another file once the last is large or of another day, so that old lines can be deleted. */
  #beginSegment(at: number): void {
    const { segment, bytes, n, at: before } = this.#tail;
    const isFull = bytes >= AUDIT_SEGMENT_BYTES || (bytes > 0 && dayOf(at) !== dayOf(before));
    if (segment && !isFull) return;
    this.#retire();
    this.#tail = { ...this.#tail, segment: segmentAt(this.#options.folder, n + 1), bytes: 0 };
    // Later, since the line about the deletion must not come before the line that is being added.
    if (isFull) setImmediate(() => this.#trimLater());
  }

  #trimLater(): void {
    try {
      this.trim();
    } catch (error) {
      this.#options.onSyncFault(error);
    }
  }

  #write(bytes: Buffer): void {
    try {
      this.#fd ??= openSync(this.#tail.segment!.path, 'a', 0o600);
      let written = 0;
      while (written < bytes.length) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      this.#isBroken = true;
      throw error;
    }
  }

  /** Cuts off the remains of a failed write. */
  #mend(): void {
    this.#retire();
    this.#tail = findTail(this.#options.folder);
    this.#isBroken = false;
  }

  #sync(): void {
    const fd = this.#fd;
    this.#timer = undefined;
    if (fd === undefined) return;
    this.#synced = this.#synced.then(() => sync(fd)).catch(this.#options.onSyncFault);
  }

  /** Ends the use of the file, after a last sync. */
  #retire(): void {
    const fd = this.#fd;
    if (fd === undefined) return;
    this.#sync();
    this.#fd = undefined;
    this.#synced = this.#synced.then(() => closeSync(fd));
  }
}

function dayOf(at: number): number {
  return Math.floor(at / DAY_MS);
}
