import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { AutoTerminalError } from '../client/index.js';
import { CommandError, EXIT, exitCodeOf } from './exit-codes.js';
import { lostBegin } from './lost-end.js';

/** The service's message about a program that it does not find; it has the same message for a folder. */
const NOT_FOUND = /^shell not found: /;
const NOT_EXECUTABLE = /^shell is not executable: /;

/** A program that was to be run, and the folder to run it in. */
interface Asked {
  file: string;
  cwd: string;
}

/**
 * Returns the error with which a verb ends that could not run a program: with the codes that docker has for it, unless the
 * service has refused the request for a reason that has a code of its own, such as 4.
 */
export function notRun(failure: unknown, asked: Asked): unknown {
  const error = lostBegin(failure);
  if (!(error instanceof AutoTerminalError) || exitCodeOf(error) !== EXIT.failed) return error;
  const { code, message, fix } = error;
  return new CommandError(codeOf(error, asked), code, message, fix);
}

function codeOf({ code, message }: AutoTerminalError, { file, cwd }: Asked): number {
  if (code !== 'spawn-failed') return EXIT.ownFailure;
  if (NOT_EXECUTABLE.test(message)) return EXIT.notExecutable;
  if (!NOT_FOUND.test(message)) return EXIT.ownFailure;
  return file.includes('/') && isFolder(resolve(cwd, file)) ? EXIT.notExecutable : EXIT.noProgram;
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
