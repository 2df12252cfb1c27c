import { type CLibrary, loadCLibrary } from '../../c-library.js';
import { echoes, TERMIOS_BYTES, takesLines } from '../../termios.js';
import { type Epoll, openEpoll } from './epoll.js';

/**
 * Functions of the C library. Buffers hold the structures that the C headers declare; return values without a comment
 * are as in the man pages.
 */
export interface Libc {
  grantpt(fd: number): number;
  unlockpt(fd: number): number;
  /** Writes the path of the slave, terminated by NUL. */
  ptsname_r(fd: number, name: Buffer, size: number): number;
  tcgetattr(fd: number, termios: Buffer): number;
  /** Returns whether the terminal of this descriptor takes input line by line and does not echo it. */
  hidesInput(fd: number): boolean;
  tcsetattr(fd: number, action: number, termios: Buffer): number;
  /** Stops (action 0) or restarts (action 1) output to a terminal, whichever process writes it. */
  tcflow(fd: number, action: number): number;
  setWindowSize(fd: number, request: number, winsize: Buffer): number;
  /** Returns how many bytes a read of this descriptor would find, or -1. Of a slave: input that is unread. */
  unreadInput(fd: number): number;
  getrlimit(resource: number, limits: Buffer): number;
  mkfifo(path: string, mode: number): number;
  posix_spawnattr_init(attr: Buffer): number;
  posix_spawnattr_setflags(attr: Buffer, flags: number): number;
  posix_spawnattr_setsigdefault(attr: Buffer, signals: Buffer): number;
  posix_spawnattr_setsigmask(attr: Buffer, signals: Buffer): number;
  posix_spawn_file_actions_init(actions: Buffer): number;
  posix_spawn_file_actions_destroy(actions: Buffer): number;
  posix_spawn_file_actions_addchdir_np(actions: Buffer, path: string): number;
  posix_spawn_file_actions_addopen(
    actions: Buffer,
    fd: number,
    path: string,
    flags: number,
    mode: number,
  ): number;
  posix_spawn_file_actions_adddup2(actions: Buffer, fd: number, as: number): number;
  /** Writes the pid, and returns 0 or the error number, also for a failure of exec. Lists end with null. */
  posix_spawn(
    pid: Buffer,
    path: string,
    actions: Buffer,
    attr: Buffer,
    argv: (string | null)[],
    envp: (string | null)[],
  ): number;
  /** Returns undefined if the system refuses. */
  openEpoll(): Epoll | undefined;
  waitpid(pid: number, status: Buffer, options: number): number;
  /** Writes the reported child to `info`. */
  waitid(kind: number, id: number, info: Buffer, options: number): number;
  /** Returns the error number of the last call that returned -1. */
  errno(): number;
}

/** The ioctl request FIONREAD: how many bytes can be read. */
const UNREAD = 0x541b;

/** The newest of the functions used here: it came with glibc 2.29 and musl 1.1.24. */
const NEWEST = 'posix_spawn_file_actions_addchdir_np';

/** Returns the functions of the C library for the pty host, or the reason in words why they are not available. */
export function loadLibc(platform: string, arch: string): Libc | { missing: string } {
  const library = loadCLibrary(platform, arch);
  if ('missing' in library) return library;
  return library.has(NEWEST) ? bind(library, arch) : { missing: `the C library has no ${NEWEST}` };
}

function bind(library: CLibrary, arch: string): Libc {
  const ioctl = library.func('int ioctl(int fd, unsigned long request, ...)');
  const unread = Buffer.alloc(4);
  const tcgetattr = library.func('int tcgetattr(int fd, void *termios)');
  const termios = Buffer.alloc(TERMIOS_BYTES);
  return {
    grantpt: library.func('int grantpt(int fd)'),
    unlockpt: library.func('int unlockpt(int fd)'),
    ptsname_r: library.func('int ptsname_r(int fd, void *name, size_t size)'),
    tcgetattr,
    hidesInput: (fd) => tcgetattr(fd, termios) === 0 && takesLines(termios) && !echoes(termios),
    tcsetattr: library.func('int tcsetattr(int fd, int action, const void *termios)'),
    tcflow: library.func('int tcflow(int fd, int action)'),
    setWindowSize: (fd, request, winsize) => ioctl(fd, request, 'void *', winsize),
    unreadInput: (fd) => (ioctl(fd, UNREAD, 'void *', unread) === -1 ? -1 : unread.readInt32LE()),
    getrlimit: library.func('int getrlimit(int resource, void *limits)'),
    mkfifo: library.func('int mkfifo(const char *path, unsigned int mode)'),
    posix_spawnattr_init: library.func('int posix_spawnattr_init(void *attr)'),
    posix_spawnattr_setflags: library.func('int posix_spawnattr_setflags(void *attr, short flags)'),
    posix_spawnattr_setsigdefault: library.func(
      'int posix_spawnattr_setsigdefault(void *attr, const void *signals)',
    ),
    posix_spawnattr_setsigmask: library.func(
      'int posix_spawnattr_setsigmask(void *attr, const void *signals)',
    ),
    posix_spawn_file_actions_init: library.func('int posix_spawn_file_actions_init(void *actions)'),
    posix_spawn_file_actions_destroy: library.func('int posix_spawn_file_actions_destroy(void *actions)'),
    posix_spawn_file_actions_addchdir_np: library.func(
      'int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)',
    ),
    posix_spawn_file_actions_addopen: library.func(
      'int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, unsigned int mode)',
    ),
    posix_spawn_file_actions_adddup2: library.func(
      'int posix_spawn_file_actions_adddup2(void *actions, int fd, int as)',
    ),
    posix_spawn: library.func(
      'int posix_spawn(void *pid, const char *path, const void *actions, const void *attr, const char **argv, const char **envp)',
    ),
    openEpoll: () => openEpoll(library, arch),
    waitpid: library.func('int waitpid(int pid, void *status, int options)'),
    waitid: library.func('int waitid(int kind, unsigned int id, void *info, int options)'),
    errno: () => library.errno(),
  };
}
