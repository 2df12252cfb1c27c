/** A program that is to run on a PTY of its own. */
export interface PtySpec {
  /** What the program is called by: its first argument. */
  file: string;
  /** Absolute path of the program (spawn-check.ts). */
  path: string;
  /** Without the program's name. */
  args: string[];
  /** The whole environment. */
  env: Record<string, string>;
  cwd: string;
  cols: number;
  rows: number;
}

/** A program on its PTY. Both descriptors are nonblocking and the caller's to close. */
export interface Started {
  pid: number;
  master: number;
  slave: number;
}

/** Told once, when the program has ended; signal 0 is none. */
export type OnExit = (exitCode: number, signal: number) => void;

/** How programs are started on PTYs on this platform. */
export interface Starter {
  /** Throws, with words for the user, when the system refuses. */
  start(spec: PtySpec, onExit: OnExit): Started;
  resize(master: number, cols: number, rows: number): void;
}

/** `NAME=value` for each variable; PWD is the folder that the program starts in. */
export function environmentOf({ env, cwd }: Pick<PtySpec, 'env' | 'cwd'>): string[] {
  return Object.entries({ ...env, PWD: cwd }).map(([name, value]) => `${name}=${value}`);
}
