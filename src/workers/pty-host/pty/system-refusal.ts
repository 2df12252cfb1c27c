import { readFileSync } from 'node:fs';
import { getSystemErrorMap } from 'node:util';

/** The kind of resource that the system refused to create. */
type Wanted = 'pty' | 'process';

/** The system refused to start a program. The message gives the reason, and names a limit that was reached. */
export class SystemRefusal extends Error {
  override readonly name = 'SystemRefusal';
  /** Symbolic code of the error, such as `EMFILE`. */
  readonly code: string;

  constructor(errno: number, wanted: Wanted) {
    const [code, meaning] = getSystemErrorMap().get(-Math.abs(errno)) ?? [
      `error ${Math.abs(errno)}`,
      'refused',
    ];
    super(reasonOf(code, wanted) ?? `${meaning} (${code})`);
    this.code = code;
  }

  static ofName(name: string, wanted: Wanted): SystemRefusal {
    const [errno] = [...getSystemErrorMap()].find(([, [code]]) => code === name) ?? [0];
    return new SystemRefusal(errno, wanted);
  }
}

/** Returns the errno of an error of Node's file functions; rethrows any other error. */
export function errnoOf(error: unknown): number {
  const { errno } = error as NodeJS.ErrnoException;
  if (errno === undefined) throw error;
  return errno;
}

/** Explains an exhausted limit, or a lack of memory; returns undefined for any other error. */
function reasonOf(code: string, wanted: Wanted): string | undefined {
  switch (code) {
    case 'EMFILE':
      return `the pty host cannot open more files${limitOf('Max open files')}, and each terminal needs two; raise the limit of open files (ulimit -n)`;
    case 'ENFILE':
      return 'the system cannot open more files; raise fs.file-max';
    case 'ENOSPC':
      return wanted === 'pty' ? `the system has no PTY left${ptysOf()}; raise kernel.pty.max` : undefined;
    case 'EAGAIN':
      return `no more processes can be started${limitOf('Max processes')}; raise the limit of processes (ulimit -u; pids.max of the cgroup, TasksMax in systemd; kernel.pid_max)`;
    case 'ENOMEM':
      return 'the system has no memory left for another process';
    default:
      return undefined;
  }
}

/** Returns the soft limit of this process in parentheses, as the kernel reports it; empty if it is unknown. */
function limitOf(name: string): string {
  const [, soft] = new RegExp(`^${name}\\s+(\\S+)`, 'm').exec(textOf('/proc/self/limits')) ?? [];
  return soft ? ` (its limit: ${soft})` : '';
}

function ptysOf(): string {
  const [max, reserved] = ['max', 'reserve'].map((name) => textOf(`/proc/sys/kernel/pty/${name}`).trim());
  return max
    ? ` (kernel.pty.max is ${max}, of which containers do not get kernel.pty.reserve, ${reserved})`
    : '';
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not Linux, or no descriptor is left to open the file: the message omits the number.
    return '';
  }
}
