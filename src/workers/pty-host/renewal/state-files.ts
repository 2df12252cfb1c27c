import { closeSync } from 'node:fs';
import { openNameless, readAll, writeAll } from '../../nameless-file.js';
import type { ExecLibc } from './exec-libc.js';

const LENGTH_BYTES = 8;
/** Small pieces are gathered up to this size, since each write is a system call. */
const GATHER_BYTES = 256 * 1024;

/** A file that is written, or read, from its beginning to its end. */
class Sequence {
  readonly fd: number;
  #at = 0;
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;

  constructor(fd: number) {
    this.fd = fd;
  }

  /** Takes bytes that must not change before {@link flush}. */
  write(bytes: Uint8Array): void {
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= GATHER_BYTES) this.flush();
  }

  flush(): void {
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    writeAll(this.fd, bytes, this.#at);
    this.#at += bytes.length;
  }

  read(length: number): Buffer {
    const bytes = Buffer.allocUnsafeSlow(length);
    readAll(this.fd, bytes, this.#at);
    this.#at += length;
    return bytes;
  }
}

/**
 * The two files through which a host hands its state to the program that replaces it. Neither has a name. Checkpoints
 * can be large and go to disk, as they always do. All other state stays in memory, since it may hold a password that was
 * typed a moment ago.
 */
export class StateFiles {
  readonly #state: Sequence;
  readonly #checkpoints: Sequence;

  /** Takes over files that are written, from their beginning. */
  constructor(state: number, checkpoints: number) {
    this.#state = new Sequence(state);
    this.#checkpoints = new Sequence(checkpoints);
  }

  /** Creates empty files; the file of checkpoints is on the disk of `folder`. Throws the error of the system. */
  static create(folder: string, libc: ExecLibc): StateFiles {
    const state = libc.createMemoryFile('auto-terminal-state');
    try {
      return new StateFiles(state, openNameless(folder));
    } catch (error) {
      closeSync(state);
      throw error;
    }
  }

  /** Descriptors of the file in memory and of the file of checkpoints. */
  get descriptors(): [state: number, checkpoints: number] {
    return [this.#state.fd, this.#checkpoints.fd];
  }

  writeHead(head: Uint8Array): void {
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeDoubleBE(head.length);
    this.write(length);
    this.write(head);
  }

  write(bytes: Uint8Array): void {
    this.#state.write(bytes);
  }

  writeCheckpoint(bytes: Uint8Array): void {
    this.#checkpoints.write(bytes);
  }

  /** Must be called after the last write. */
  flush(): void {
    this.#state.flush();
    this.#checkpoints.flush();
  }

  readHead(): Buffer {
    return this.read(this.read(LENGTH_BYTES).readDoubleBE());
  }

  read(length: number): Buffer {
    return this.#state.read(length);
  }

  readCheckpoint(length: number): Buffer {
    return this.#checkpoints.read(length);
  }

  close(): void {
    for (const fd of this.descriptors) closeSync(fd);
  }
}
