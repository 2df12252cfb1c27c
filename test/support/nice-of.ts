import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { decidedByOf } from '#dist/workers/pty-host/processes/niceness.js';

/** What decides a program's share of the processors on this machine. */
const DECIDED_BY = decidedByOf(
  (path) => (existsSync(path) ? readFileSync(path, 'latin1') : ''),
  (path) => existsSync(path),
);

/** The nice value that determines a process's share of the processors on this machine. */
export function niceOf(pid: number): number {
  if (DECIDED_BY === 'process') return getPriority(pid);
  return Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'latin1'))?.[1]);
}
