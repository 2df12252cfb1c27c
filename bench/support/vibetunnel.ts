import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../test/support/free-port.js';
import { type Api, createApi } from '../../test/support/http.js';
import { eventually } from '../../test/support/processes.js';
import type { Cleanup } from './cleanup.js';
import { tempFolder } from './temp-folder.js';

const VERSION = '1.0.0-beta.15.1';
const START_DEADLINE_MS = 30_000;
/** Folder that keeps the package for the next run. Computed before the run sets its own `TMPDIR`, which it removes. */
const CACHE = join(tmpdir(), `at-bench-vibetunnel-${VERSION}`);

export interface VibeTunnel {
  port: number;
  api: Api;
  /** Id of its only process, which also holds the PTYs. */
  pids: number[];
}

/** Starts VibeTunnel until the case ends. Fetches it first if this machine does not have it. */
export async function startVibeTunnel(cleanup: Cleanup): Promise<VibeTunnel> {
  const stop = new AbortController();
  const fetching = cleanup.own(fetched(stop.signal), async () => 'it stays for the next run');
  cleanup.defer(async () => stop.abort());
  const folder = await fetching;
  const home = tempFolder(cleanup);
  const port = await freePort();
  // Not `bin/vibetunnel`: if that file loads this program, the program takes itself for a library and does nothing.
  const program = join(folder, 'dist/vibetunnel-cli');
  const args = [program, '--port', String(port), '--bind', '127.0.0.1', '--no-auth'];
  const env = { ...process.env, HOME: home, VIBETUNNEL_CONTROL_DIR: join(home, 'control') };
  const child = spawn(process.execPath, args, { env, cwd: home, stdio: ['ignore', 'ignore', 'ignore'] });
  cleanup.defer(() => end(child));
  const api = createApi(`http://127.0.0.1:${port}`, { unchecked: true });
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`VibeTunnel ended with ${child.exitCode}`);
    // Connections are refused until it listens.
    return api.get('/api/health').then(
      ({ status }) => status === 200,
      () => false,
    );
  };
  await eventually('VibeTunnel answers', answers, START_DEADLINE_MS);
  return { port, api, pids: [child.pid!] };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Resolves with the package's folder, which stays for the next run. An aborted fetch leaves nothing. */
async function fetched(signal: AbortSignal): Promise<string> {
  const folder = join(CACHE, 'node_modules/vibetunnel');
  if (existsSync(CACHE)) return folder;
  const fresh = `${CACHE}.${process.pid}`;
  try {
    mkdirSync(fresh);
    writeFileSync(join(fresh, 'package.json'), '{ "private": true }\n');
    // Dependencies' scripts would compile code that the package contains compiled; the package's own script unpacks it.
    const install = ['install', `vibetunnel@${VERSION}`, '--ignore-scripts', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', install, { cwd: fresh, signal });
    const unpack = ['scripts/postinstall-npm.js'];
    const packageFolder = join(fresh, 'node_modules/vibetunnel');
    await promisify(execFile)(process.execPath, unpack, { cwd: packageFolder, signal });
    renameSync(fresh, CACHE);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}
