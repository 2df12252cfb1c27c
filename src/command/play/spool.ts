import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CommandError, EXIT } from '../exit-codes.js';

/** Bytes of one read. */
const READ_BYTES = 64 * 1024;

/**
 * A download, written as it arrives to a file without a name. The service breaks off a download that is not read, and a
 * playback may be stopped for hours; a large recording does not fit into memory.
 */
export class Spool {
  readonly #file: FileHandle;
  #length = 0;
  #end: { error?: unknown } | undefined;
  /** Called when bytes arrive, or at the end. */
  #waiting: (() => void)[] = [];

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Begins to write the source to disk. */
  static async of(source: AsyncIterable<Uint8Array>): Promise<Spool> {
    const path = join(tmpdir(), `auto-terminal-${randomUUID()}`);
    const spool = new Spool(await open(path, 'wx+', 0o600));
    await unlink(path);
    void spool.#take(source);
    return spool;
  }

  /** Yields all bytes in order, and waits for bytes that have not come yet. Throws the error of the source. */
  async *read(): AsyncGenerator<Uint8Array> {
    for (let at = 0; ; ) {
      if (at < this.#length) {
        const buffer = Buffer.alloc(Math.min(READ_BYTES, this.#length - at));
        const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, at);
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      } else if (this.#end === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else if (this.#end.error === undefined) return;
      else throw this.#end.error;
    }
  }

  /** Frees the disk space. Nothing may be read afterwards. */
  close(): Promise<void> {
    return this.#file.close();
  }

  async #take(source: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of source) {
        await this.#append(chunk);
        this.#length += chunk.length;
        this.#report();
      }
      this.#end = {};
    } catch (error) {
      this.#end = { error };
    }
    this.#report();
  }

  #report(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #append(chunk: Uint8Array): Promise<void> {
    try {
      await this.#file.appendFile(chunk);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
      const message = `There is no room for the recording in ${tmpdir()}`;
      throw new CommandError(EXIT.failed, 'disk-full', message, 'Set TMPDIR to a folder with room');
    }
  }
}
