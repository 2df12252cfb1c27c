import { execFile } from 'node:child_process';

export interface ProgramResult {
  /** Null when a signal or the deadline ended the program. */
  exitCode: number | null;
  stdout: Buffer;
}

/** Runs a program to its end. Rejects when it cannot be started. */
export type RunProgram = (
  file: string,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; deadlineMs: number },
) => Promise<ProgramResult>;

/** Runs a program without a shell and without input, and kills it at its deadline. */
export const runProgram: RunProgram = (file, args, { env, deadlineMs }) =>
  new Promise((resolve, reject) => {
    const options = {
      env,
      timeout: deadlineMs,
      killSignal: 'SIGKILL',
      encoding: 'buffer',
      windowsHide: true,
    } as const;
    const child = execFile(file, args, options, (error, stdout) => {
      if (!error) resolve({ exitCode: 0, stdout });
      else if (typeof error.code === 'number') resolve({ exitCode: error.code, stdout });
      else if (error.killed || error.signal) resolve({ exitCode: null, stdout });
      else reject(error);
    });
    child.stdin?.end();
  });
