import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** Index of the start time among the fields behind the program's name, which may itself have blanks and brackets. */
const START_FIELD = 19;

/**
 * Returns when a process began, as a text that no later process with the same pid has; undefined if there is none. A
 * process that has ended and waits for its parent counts as none.
 */
export async function startOf(pid: number): Promise<string | undefined> {
  return process.platform === 'linux' ? startOnLinux(pid) : psOf(pid, 'lstart=');
}

/** Returns the command line of a process, with blanks between its words; undefined if there is none. */
export async function commandLineOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return psOf(pid, 'args=');
  const text = await unlessGone(readFile(`/proc/${pid}/cmdline`, 'utf8'));
  return text?.replace(/\0$/, '').replaceAll('\0', ' ');
}

async function startOnLinux(pid: number): Promise<string | undefined> {
  const read = [`/proc/${pid}/stat`, '/proc/sys/kernel/random/boot_id'].map((file) => readFile(file, 'utf8'));
  const [stat, boot] = (await unlessGone(Promise.all(read))) ?? [];
  if (stat === undefined || boot === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? undefined : `${boot.trim()} ${fields[START_FIELD]}`;
}

async function unlessGone<Value>(reading: Promise<Value>): Promise<Value | undefined> {
  try {
    return await reading;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return undefined;
    throw error;
  }
}

/** @param column - as `-o` of `ps` takes it */
async function psOf(pid: number, column: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', column, '-p', String(pid)]);
    return stdout.trim() || undefined;
  } catch (error) {
    // `ps` exits with 1 if there is no such process.
    if ((error as { code?: unknown }).code === 1) return undefined;
    throw error;
  }
}
