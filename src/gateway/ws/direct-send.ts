import { loadCLibrary } from '../../workers/c-library.js';

/**
 * Gives bytes to the kernel at once, beside Node's stream.
 *
 * @param fd - of a socket whose stream has nothing to write
 * @returns how many of the bytes the kernel took, which is all, some or none; none, too, where the connection is broken
 */
export type SendNow = (fd: number, bytes: Buffer) => number;

const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * send(2) of the C library, or in words why there is none to be had. A write through Node's
 * stream makes objects and a callback and passes two queues: a microsecond, beside six that the kernel takes for 16 KB.
 */
export function loadSendNow(platform: string, arch: string): SendNow | { missing: string } {
  const library = loadCLibrary(platform, arch);
  if ('missing' in library) return library;
  const send = library.func('long send(int fd, const void *bytes, size_t length, int flags)');
  // -1, for whatever reason, is the stream's to find out about: it meets the same one, and knows what to do.
  return (fd, bytes) => Math.max(0, send(fd, bytes, bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL));
}
