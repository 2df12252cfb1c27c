import { execFileSync } from 'node:child_process';

/** Limits a running process with the options of Linux' `prlimit`: `limitProcess(pid, '--nofile=100:')`. */
export function limitProcess(pid: number, limit: string): void {
  execFileSync('prlimit', ['--pid', String(pid), limit]);
}
