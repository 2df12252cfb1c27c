import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { endianness } from 'node:os';

/** File access of the Linux process table; paths are relative to /proc. */
export interface ProcFiles {
  list(): Promise<string[]>;
  /** Returns the ids of a process' threads; null if the process is gone. */
  threads(pid: number): string[] | null;
  /** Returns the first 4 KiB of a file as text; null if the file is gone or may not be read. */
  read(path: string): string | null;
  /** Returns the target of a link; null if the link is gone or may not be read. */
  link(path: string): string | null;
  /** Bytes of a page, and clock ticks a second. */
  units: { pageBytes: number; ticksPerSecond: number };
}

/** Enough for any stat line and for the start of any command line. */
const READ_BYTES = 4_096;

/**
 * Returns access to the real /proc. Its files are in memory, so reading one takes 8 us synchronously, and 40 us through
 * Node's thread pool, nearly all of that on the calling thread. Only the listing, of thousands of entries, is
 * asynchronous.
 */
export function procFiles(): ProcFiles {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  return {
    list: () => readdir('/proc'),
    threads: (pid) => unlessGone(() => readdirSync(`/proc/${pid}/task`)),
    read: (path) =>
      unlessGone(() => {
        const file = openSync(`/proc/${path}`, 'r');
        try {
          return buffer.toString('utf8', 0, readSync(file, buffer, 0, READ_BYTES, 0));
        } finally {
          closeSync(file);
        }
      }),
    link: (path) => unlessGone(() => readlinkSync(`/proc/${path}`)),
    units: parseUnits(readFileSync('/proc/self/auxv')),
  };
}

/** Error codes for a process that has ended or belongs to another user. */
const GONE: ReadonlySet<unknown> = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM', 'ENOTDIR']);

function unlessGone<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

const AT_PAGESZ = 6;
const AT_CLKTCK = 17;
const NARROW: ReadonlySet<string> = new Set(['arm', 'ia32', 'mips', 'mipsel']);

/** Reads the units from the auxiliary vector that the kernel hands each process: pairs of machine words. */
export function parseUnits(auxv: Buffer, arch: string = process.arch): ProcFiles['units'] {
  const wordBytes = NARROW.has(arch) ? 4 : 8;
  const word = (offset: number) =>
    endianness() === 'LE'
      ? auxv.readUIntLE(offset, Math.min(wordBytes, 6))
      : auxv.readUIntBE(offset + Math.max(0, wordBytes - 6), Math.min(wordBytes, 6));
  const values = new Map<number, number>();
  for (let at = 0; at + 2 * wordBytes <= auxv.length; at += 2 * wordBytes) {
    values.set(word(at), word(at + wordBytes));
  }
  return { pageBytes: values.get(AT_PAGESZ) ?? 4_096, ticksPerSecond: values.get(AT_CLKTCK) ?? 100 };
}
