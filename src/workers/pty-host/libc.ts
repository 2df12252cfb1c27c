import { createRequire } from 'node:module';

/** Buffers stand for what the headers of the C library declare; what is not an error code answers as in its manual. */
export interface Libc {
  grantpt(fd: number): number;
  unlockpt(fd: number): number;
  /** Writes the path of the slave, ended by NUL. */
  ptsname_r(fd: number, name: Buffer, size: number): number;
  tcgetattr(fd: number, termios: Buffer): number;
  tcsetattr(fd: number, action: number, termios: Buffer): number;
  setWindowSize(fd: number, request: number, winsize: Buffer): number;
  getrlimit(resource: number, limits: Buffer): number;
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
  /** Writes the pid; answers 0 or the number of the error, of exec too. Lists end with null. */
  posix_spawn(
    pid: Buffer,
    path: string,
    actions: Buffer,
    attr: Buffer,
    argv: (string | null)[],
    envp: (string | null)[],
  ): number;
  waitpid(pid: number, status: Buffer, options: number): number;
  /** The number of the error of the last call that answered -1. */
  errno(): number;
}

/** What structures are sized and flags numbered for here: those of others differ. */
const KNOWN = new Set(['linux x64', 'linux arm64']);

/**
 * The C library that this process runs with, by way of koffi; or in words why there is none to be had, which is so
 * with C libraries older than glibc 2.29 and musl 1.1.24.
 */
export function loadLibc(platform: string, arch: string): Libc | { missing: string } {
  if (!KNOWN.has(`${platform} ${arch}`)) return { missing: `nothing is known of ${platform} on ${arch}` };
  try {
    return bind(createRequire(import.meta.url)('koffi') as typeof import('koffi'));
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

function bind(koffi: typeof import('koffi')): Libc {
  const library = koffi.load(null);
  const ioctl = library.func('int ioctl(int fd, unsigned long request, ...)');
  return {
    grantpt: library.func('int grantpt(int fd)'),
    unlockpt: library.func('int unlockpt(int fd)'),
    ptsname_r: library.func('int ptsname_r(int fd, void *name, size_t size)'),
    tcgetattr: library.func('int tcgetattr(int fd, void *termios)'),
    tcsetattr: library.func('int tcsetattr(int fd, int action, const void *termios)'),
    setWindowSize: (fd, request, winsize) => ioctl(fd, request, 'void *', winsize),
    getrlimit: library.func('int getrlimit(int resource, void *limits)'),
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
    waitpid: library.func('int waitpid(int pid, void *status, int options)'),
    errno: () => koffi.errno(),
  };
}
