import { loadCLibrary } from '../../workers/c-library.js';

/**
 * Passes bytes to the kernel at once, bypassing Node's stream.
 *
 * @param fd - descriptor of a socket whose stream has nothing to write
 * @returns how many of the bytes the kernel took: all, some or none; none, too, if the connection is broken
 */
export type SendNow = (fd: number, bytes: Buffer) => number;

const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/**
 * Returns send(2) of the C library, or in words why it is not available. A write through Node's stream makes objects
 * and a callback and passes two queues: that costs a microsecond, besides the six that the kernel takes for 16 KB.
 */
export function loadSendNow(platform: string, arch: string): SendNow | { missing: string } {
  const library = loadCLibrary(platform, arch);
  if ('missing' in library) return library;
  const send = library.func('long send(int fd, const void *bytes, size_t length, int flags)');
  // Any -1 is left to the stream, whose next write meets the same error and handles it.
  return (fd, bytes) => Math.max(0, send(fd, bytes, bytes.length, MSG_DONTWAIT | MSG_NOSIGNAL));
}
