import { spawn } from 'node:child_process';
import { exitOf } from './mcp.js';
import { within } from './service.js';

const DEADLINE_MS = 30_000;

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** The process' whole standard input. */
  input?: string;
}

/** Results of a process that has ended. */
export interface Finished {
  /** Exit code; null if a signal ended the process. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a program of Node's to its end. Rejects if it takes too long. */
export async function runNode(args: string[], { env, cwd, input = '' }: RunOptions = {}): Promise<Finished> {
  const child = spawn(process.execPath, args, { env, cwd });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const read = new Promise<void>((resolve) => child.once('close', () => resolve()));
  // A program that ends at once may never read its input.
  child.stdin.on('error', () => undefined).end(input);
  try {
    await within(DEADLINE_MS, read, () => `${args.join(' ')} does not end:\n${stdout}\n${stderr}`);
    return { code: await exitOf(child), stdout, stderr };
  } finally {
    child.kill('SIGKILL');
  }
}
