import { loadCLibrary } from '../../c-library.js';
import { SystemRefusal } from '../pty/system-refusal.js';

const F_SETFD = 2;
const FD_CLOEXEC = 1;

/** Functions of the C library with which a process replaces its own program. */
export interface ExecLibc {
  /** Creates a file in memory and returns its descriptor, which is closed on exec. Throws the error of the system. */
  createMemoryFile(name: string): number;
  /** Decides whether a descriptor stays open when the program is replaced. Throws the error of the system. */
  keepOpen(fd: number, isKept: boolean): void;
  /** Replaces the program of this process; pid, children and kept descriptors stay. Returns only by throwing. */
  exec(file: string, args: readonly string[], env: Readonly<Record<string, string | undefined>>): never;
}

const MFD_CLOEXEC = 1;

/** The newest of the functions used here: it came with glibc 2.27 and musl 1.1.20. */
const NEWEST = 'memfd_create';

/** Returns these functions, or the reason in words why they are not available. */
export function loadExecLibc(platform: string, arch: string): ExecLibc | { missing: string } {
  const library = loadCLibrary(platform, arch);
  if ('missing' in library) return library;
  if (!library.has(NEWEST)) return { missing: `the C library has no ${NEWEST}` };
  const memfdCreate = library.func('int memfd_create(const char *name, unsigned int flags)');
  const fcntl = library.func('int fcntl(int fd, int command, ...)');
  const execve = library.func('int execve(const char *file, const char **argv, const char **envp)');
  const must = (answer: number): number => {
    if (answer === -1) throw new SystemRefusal(library.errno(), 'process');
    return answer;
  };
  return {
    createMemoryFile: (name) => must(memfdCreate(name, MFD_CLOEXEC)),
    keepOpen: (fd, isKept) => void must(fcntl(fd, F_SETFD, 'int', isKept ? 0 : FD_CLOEXEC)),
    exec: (file, args, env) => {
      const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
      must(execve(file, [file, ...args, null], [...variables, null]));
      throw new Error('execve has returned');
    },
  };
}
