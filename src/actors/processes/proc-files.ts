import { closeSync, openSync, readFileSync, readlinkSync, readSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { endianness } from 'node:os';

/** How the process table of Linux reads; the paths are below /proc. */
export interface ProcFiles {
  list(): Promise<string[]>;
  /** The first 4 KiB of a file as text; null when it is not there or not ours to read. */
  read(path: string): string | null;
  /** Target of a link; null when it is not there or not ours to read. */
  link(path: string): string | null;
  /** Bytes of a page, and clock ticks a second. */
  units: { pageBytes: number; ticksPerSecond: number };
}

/** Enough for any stat line and for the start of any command line. */
const READ_BYTES = 4_096;

/**
 * The real /proc. Its files are made of memory, so that reading one takes 8 us at once and 40 us by way of
 * Node's thread pool, nearly all of that on the calling thread. A folder of thousands is the exception.
 */
export function procFiles(): ProcFiles {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  return {
    list: () => readdir('/proc'),
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

/** What the system answers for a process that has ended or belongs to somebody else. */
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

/** Reads the auxiliary vector that the kernel hands each process: pairs of machine words. */
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
