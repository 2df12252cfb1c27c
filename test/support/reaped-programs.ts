import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** How programs on PTYs, and children of node:child_process, of one process ended. */
export interface Reaped {
  /** How each program ended: an exit code, or a signal as a negative number. */
  programs: number[];
  /** Exit codes of the children, in the order in which they were started. */
  children: number[];
  /** Number of the process' children that are zombies after all have ended. */
  zombies: number;
  /** How often the system was asked for ended children. */
  asked: number;
  /** How often the system was asked in the 300 ms after the last end. */
  askedLater: number;
}

const SCRIPT = `
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { loadLibc } from '${import.meta.resolve('#dist/workers/pty-host/pty/libc.js')}';
import { PosixSpawn } from '${import.meta.resolve('#dist/workers/pty-host/pty/posix-spawn.js')}';
const { rounds, programs, children, script, kill } = JSON.parse(process.argv[1]);
// A signal that is listened for does not keep a process of Node's.
const staying = setInterval(() => {}, 60_000);
const libc = loadLibc(process.platform, process.arch);
let asked = 0;
const counted = (call) => (...args) => { asked++; return call(...args); };
const starter = new PosixSpawn({ ...libc, waitid: counted(libc.waitid), waitpid: counted(libc.waitpid) });
const sh = (index) => ['-c', script.replaceAll('INDEX', index)];
const program = (index) => {
  const spec = { path: '/bin/sh', file: 'sh', args: sh(index), env: {}, cwd: '/', cols: 80, rows: 24 };
  let pid;
  const end = new Promise((resolve) => {
    const started = starter.start(spec, (exitCode, signal) => {
      closeSync(started.master);
      closeSync(started.slave);
      resolve(signal === 0 ? exitCode : -signal);
    });
    pid = started.pid;
  });
  return { pid, end };
};
const child = async (index) => (await once(spawn('/bin/sh', sh(index), { stdio: 'ignore' }), 'exit'))[0];
const told = { programs: [], children: [] };
for (let round = 0; round < rounds; round++) {
  const started = { programs: [], children: [] };
  for (let index = 0; index < Math.max(programs, children); index++) {
    if (index < programs) started.programs.push(program(index));
    if (index < children) started.children.push(child(index));
  }
  for (const { pid, end } of started.programs) {
    if (kill) process.kill(pid, kill);
    told.programs.push(await end);
  }
  told.children.push(...await Promise.all(started.children));
}
const isZombie = (pid) => {
  try {
    const [state, parent] = readFileSync('/proc/' + pid + '/stat', 'utf8').replace(/.*\\) /s, '').split(' ');
    return state === 'Z' && Number(parent) === process.pid;
  } catch {
    return false;
  }
};
// Node may tell the end of a child before the reaper handles the same SIGCHLD. Signals are handled in order, so the
// next one comes when that is done.
const next = once(process, 'SIGWINCH');
process.kill(process.pid, 'SIGWINCH');
await next;
const askedBefore = asked;
await pause(300);
const zombies = readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).filter(isZombie).length;
clearInterval(staying);
process.stdout.write(JSON.stringify({ ...told, zombies, asked, askedLater: asked - askedBefore }));
`;

export interface ReapedPlan {
  /** A round begins when all programs of the round before have ended. */
  rounds: number;
  /** Number of programs on PTYs in each round. */
  programs: number;
  /** Number of children of node:child_process in each round. */
  children: number;
  /** Script of each program and child; INDEX is its number within the round. */
  script: string;
  /** Signal for each program, sent once the previous program has ended. */
  kill?: NodeJS.Signals;
}

/** Runs the plan in a process of its own; `withOrphan` adds a child that is never waited for. */
export async function reapPrograms(plan: ReapedPlan, { withOrphan = false } = {}): Promise<Reaped> {
  const before = withOrphan ? 'true & ' : '';
  const node = [process.execPath, '--input-type=module', '-e', SCRIPT, JSON.stringify(plan)];
  const args = ['-c', `${before}exec "$@"`, 'sh', ...node];
  const { stdout } = await promisify(execFile)('sh', args, { timeout: 40_000 });
  return JSON.parse(stdout) as Reaped;
}
