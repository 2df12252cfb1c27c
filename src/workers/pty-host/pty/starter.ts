import type { Entry } from '../limits/entry.js';

/** A program to run on a PTY of its own. */
export interface PtySpec {
  /** Name that the program is called by: its argv[0]. */
  file: string;
  /** Absolute path of the program (found by spawn-check.ts). */
  path: string;
  /** Arguments without the program's name. */
  args: string[];
  /** The whole environment. */
  env: Record<string, string>;
  cwd: string;
  cols: number;
  rows: number;
  /** Step of the first process before it becomes the program. */
  entry?: Entry | null | undefined;
}

/** A program on its PTY. Both descriptors are nonblocking; the caller must close them. */
export interface Started {
  pid: number;
  master: number;
  slave: number;
}

/** Called once when the program has ended; `signal` is 0 if no signal ended it. */
export type OnExit = (exitCode: number, signal: number) => void;

/** Starts programs on PTYs on this platform. */
export interface Starter {
  /** Starts a program. Throws, with a message for the user, when the system refuses. */
  start(spec: PtySpec, onExit: OnExit): Started;
  /** Takes a program that this process started before it was renewed, and that has not been seen to end. */
  adopt?(pid: number, onExit: OnExit): void;
  resize(master: number, cols: number, rows: number): void;
}

/** Returns `NAME=value` for each variable; PWD is the folder in which the program starts. */
export function environmentOf({ env, cwd }: Pick<PtySpec, 'env' | 'cwd'>): string[] {
  return Object.entries({ ...env, PWD: cwd }).map(([name, value]) => `${name}=${value}`);
}
