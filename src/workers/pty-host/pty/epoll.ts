import type { CLibrary } from '../../c-library.js';

const EPOLL_CLOEXEC = 0x80000;
const ADD = 1;
const DELETE = 2;
const EPOLLIN = 1;

/** Most descriptors of one answer. */
const MAX_READY = 256;

/** Finds out which of many descriptors can be read, in one system call. */
export interface Epoll {
  /** Returns false if the system refuses. */
  add(fd: number): boolean;
  /** Must be called before the descriptor is closed. */
  remove(fd: number): void;
  /** Returns descriptors that can be read, have ended or have failed, at this moment; at most 256 of them. */
  ready(): number[];
}

/** Returns an epoll of Linux, which closes when this process runs another program; undefined if the system refuses. */
export function openEpoll(library: CLibrary, arch: string): Epoll | undefined {
  const control = library.func('int epoll_ctl(int epoll, int op, int fd, void *event)');
  const wait = library.func('int epoll_wait(int epoll, void *events, int most, int timeout)');
  const epoll: number = library.func('int epoll_create1(int flags)')(EPOLL_CLOEXEC);
  if (epoll < 0) return undefined;
  // The structure is packed on x64 alone: 32 bits of flags, then 64 bits of the caller's.
  const [size, dataAt] = arch === 'x64' ? [12, 4] : [16, 8];
  const event = Buffer.alloc(size);
  event.writeUInt32LE(EPOLLIN);
  const events = Buffer.alloc(size * MAX_READY);
  return {
    add: (fd) => {
      event.writeUInt32LE(fd, dataAt);
      return control(epoll, ADD, fd, event) === 0;
    },
    remove: (fd) => {
      control(epoll, DELETE, fd, event);
    },
    ready: () => {
      const count = Math.max(0, wait(epoll, events, MAX_READY, 0));
      return Array.from({ length: count }, (_, index) => events.readUInt32LE(index * size + dataAt));
    },
  };
}
