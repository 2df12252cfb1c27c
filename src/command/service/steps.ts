import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Context } from '../context.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { shellLine } from '../shell-line.js';

/** Change of a machine, as data, so that it can be printed instead of made. */
export type Step =
  | { kind: 'write'; path: string; text: string }
  | { kind: 'remove'; path: string }
  /** A program. With `mayFail`, it fails where there is nothing to do. */
  | { kind: 'run'; command: readonly [string, ...string[]]; mayFail?: boolean };

export interface Ran {
  /** null if it could not be started, or if a signal ended it. */
  code: number | null;
  stdout: string;
  /** Its standard error, or the reason why it could not be started. */
  stderr: string;
}

/** Runs a program to its end. */
export function ran(
  { env, signal }: Pick<Context, 'env' | 'signal'>,
  [program, ...args]: readonly [string, ...string[]],
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = execFile(program, args, { env, signal }, (error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr: stderr.trim() || (error?.message ?? '') });
    });
  });
}

/** Takes the steps in order. Throws at the first step that fails; the error has the output of its program. */
export async function take(context: Context, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.kind === 'write') write(step.path, step.text);
    else if (step.kind === 'remove') rmSync(step.path, { force: true });
    else {
      const { code, stderr } = await ran(context, step.command);
      context.signal.throwIfAborted();
      if (code === 0 || step.mayFail) continue;
      throw new CommandError(
        EXIT.failed,
        'refused',
        `${shellLine(step.command)}: ${stderr || `exit code ${code}`}`,
      );
    }
  }
}

/** Writes a file for its owner alone, as all files of the service are. */
function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600);
}

/** Returns a script for a POSIX shell that takes the steps. */
export function scriptOf(steps: readonly Step[]): string {
  return steps.map((step) => `${lineOf(step)}\n`).join('');
}

function lineOf(step: Step): string {
  switch (step.kind) {
    case 'write': {
      const [path, folder] = [shellWord(step.path), shellWord(dirname(step.path))];
      return `mkdir -p ${folder}\ncat > ${path} <<'END'\n${step.text}END\nchmod 600 ${path}`;
    }
    case 'remove':
      return `rm -f ${shellWord(step.path)}`;
    case 'run':
      return shellLine(step.command) + (step.mayFail ? ' || true' : '');
  }
}

function shellWord(text: string): string {
  // An empty word before it makes shellLine quote a single word.
  return shellLine([':', text]).slice(2);
}
