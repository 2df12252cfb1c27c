import { execFile } from 'node:child_process';

export interface ProgramResult {
  /** Null when it was ended: by a signal, or by the deadline. */
  exitCode: number | null;
  stdout: Buffer;
}

/** Runs a program to its end. Rejects when it cannot be started. */
export type RunProgram = (
  file: string,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; deadlineMs: number },
) => Promise<ProgramResult>;

/** Without a shell and without input; what runs past its deadline is killed. */
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
