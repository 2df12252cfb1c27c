import { createRequire } from 'node:module';

/**
 * Gives bytes to the kernel at once, beside Node's stream.
 *
 * @param fd - of a socket whose stream has nothing to write
 * @returns how many of the bytes the kernel took, which is all, some or none; none, too, where the connection is broken
 */
export type SendNow = (fd: number, bytes: Buffer) => number;

/** What the flags and types of send(2) are numbered for here. */
const KNOWN = new Set(['linux x64', 'linux arm64']);
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * send(2) of this process' C library by way of koffi, or in words why there is none to be had. A write through Node's
 * stream makes objects and a callback and passes two queues: a microsecond, beside six that the kernel takes for 16 KB.
 */
export function loadSendNow(platform: string, arch: string): SendNow | { missing: string } {
  if (!KNOWN.has(`${platform} ${arch}`)) return { missing: `nothing is known of ${platform} on ${arch}` };
  try {
    const koffi = createRequire(import.meta.url)('koffi') as typeof import('koffi');
    const send = koffi.load(null).func('long send(int fd, const void *bytes, size_t length, int flags)');
    // -1, for whatever reason, is the stream's to find out about: it meets the same one, and knows what to do.
    return (fd, bytes) => Math.max(0, send(fd, bytes, bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL));
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}
