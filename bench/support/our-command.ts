import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { CLI } from '../../test/support/cli.js';
import { environmentFor } from '../../test/support/command.js';
import { peakResidentBytes, processInfo } from '../../test/support/processes.js';
import { within } from '../../test/support/service.js';
import type { Cleanup } from './cleanup.js';

/** Time limit of one command, which takes seconds on a quiet machine. */
const DEADLINE_MS = 300_000;
const SAMPLE_MS = 10;

export interface Ran {
  /** Exit code; null if a signal ended the command. */
  code: number | null;
  /** Wall-clock seconds from its start to its end. */
  seconds: number;
  /** Peak resident memory in bytes, last read at most 10 ms before the end. */
  peakBytes: number;
  /** Text that the command wrote to stderr. */
  stderr: string;
}

/** Runs `auto-terminal` for the service of a home, with its output in a file, as a script would. */
export function ourCommand(
  cleanup: Cleanup,
  home: string,
  args: readonly string[],
  output: string,
): Promise<Ran> {
  return nodeProgram(cleanup, [CLI, ...args], output, environmentFor(home));
}

/** Runs a program of Node with its output in a file. Rejects if it does not end in time. */
export async function nodeProgram(
  cleanup: Cleanup,
  args: readonly string[],
  output: string,
  env = process.env,
): Promise<Ran> {
  const file = openSync(output, 'w');
  const begin = performance.now();
  const child = spawn(process.execPath, args, { cwd: '/', env, stdio: ['ignore', file, 'pipe'] });
  closeSync(file);
  cleanup.defer(async () => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  let peakBytes = 0;
  const sampler = setInterval(() => {
    peakBytes = peakResidentBytes(child.pid!) ?? peakBytes;
  }, SAMPLE_MS);
  try {
    const code = await within(DEADLINE_MS, closed(child), () => `${args.join(' ')} does not end: ${stderr}`);
    return { code, seconds: (performance.now() - begin) / 1000, peakBytes, stderr };
  } finally {
    clearInterval(sampler);
    child.kill('SIGKILL');
  }
}

async function closed(child: ChildProcess): Promise<number | null> {
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

/**
 * Runs programs. Resolves with the CPU seconds (user and system) that they and all processes that they waited for used,
 * in steps of 10 ms. No other child of this process may end meanwhile.
 */
export async function cpuOfChildren<T>(work: () => Promise<T>): Promise<{ result: T; cpu: number }> {
  const before = processInfo(process.pid)!.endedCpuSeconds;
  const result = await work();
  return { result, cpu: processInfo(process.pid)!.endedCpuSeconds - before };
}
