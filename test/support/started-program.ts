import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Results of a program on a PTY. */
export interface StartedProgram {
  printed: string;
  exitCode: number;
  signal: number;
}

/** Runs in a process of its own, whose only children are the starter's; `kind` selects the starter. */
const SCRIPT = `
import { readSync } from 'node:fs';
import { loadLibc } from '${import.meta.resolve('#dist/workers/pty-host/pty/libc.js')}';
import { PosixSpawn } from '${import.meta.resolve('#dist/workers/pty-host/pty/posix-spawn.js')}';
import { NodePtyFork } from '${import.meta.resolve('#dist/workers/pty-host/pty/node-pty-fork.js')}';
const [kind, spec] = process.argv.slice(1);
const starter = kind === 'fork' ? new NodePtyFork() : new PosixSpawn(loadLibc(process.platform, process.arch));
let end;
const { master } = starter.start(JSON.parse(spec), (exitCode, signal) => { end = { exitCode, signal }; });
const chunk = Buffer.alloc(65536);
let printed = '';
const drain = () => {
  const isLast = end !== undefined;
  try {
    for (;;) printed += chunk.toString('utf8', 0, readSync(master, chunk));
  } catch (error) {
    if (error.code !== 'EAGAIN') throw error;
  }
  if (!isLast) return;
  clearInterval(draining);
  process.stdout.write(JSON.stringify({ printed, ...end }));
};
const draining = setInterval(drain, 5);
`;

/** Starts a program on an 81 by 25 terminal by `kind`, and waits for its end; rejects if it does not start. */
export async function startProgram(
  kind: 'posix-spawn' | 'fork',
  program: { path: string; file?: string; args?: string[]; env?: Record<string, string>; cwd?: string },
): Promise<StartedProgram> {
  const spec = {
    file: program.path,
    args: [],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', GREETING: 'grüße' },
    cwd: '/',
    ...{ cols: 81, rows: 25 },
    ...program,
  };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT, kind, JSON.stringify(spec)],
    { timeout: 20_000 },
  );
  return JSON.parse(stdout) as StartedProgram;
}
