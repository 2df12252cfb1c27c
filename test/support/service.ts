import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chooseBackend, environmentOn } from './backend.js';
import { CLI } from './cli.js';
import { DEADLINE_MS } from './deadline.js';

export interface Service {
  /** Origin of the REST API, as the ready line gives it. */
  url: string;
  /** Endpoint of the tool server, if it was asked for. */
  mcpUrl: string | undefined;
  /** Origin of the dashboard, if it was built. */
  dashboardUrl: string | undefined;
  pid: number;
  /** The service's AUTO_TERMINAL_HOME. */
  home: string;
  /** Returns everything that the service has logged so far. */
  log(): string;
  /**
   * Sends the signal, and resolves with the exit code once the process has ended; the folder stays, for another start.
   */
  kill(signal: NodeJS.Signals): Promise<number | null>;
  /** Sends SIGTERM, waits for the exit, removes the folder. Rejects if the service does not end in time. */
  stop(): Promise<void>;
}

export interface StartOptions {
  /** Starts the service on the state that another service has left. */
  home?: string;
  args?: string[];
  /** Starts the tool server, too, which takes a second. */
  mcp?: boolean;
  env?: Record<string, string>;
  /** Another Node to run the service with. */
  node?: string;
  /** Arguments of Node. */
  flags?: readonly string[];
  /** Path of the cli.js of another release. */
  main?: string;
}

/** Resolves with the work's result; rejects with the text of `describe` once the deadline has passed. */
export async function within<T>(ms: number, work: Promise<T>, describe: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(describe())), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Resolves with the URLs of the ready line; rejects if the process ends without a ready line. */
async function readyUrls(child: ChildProcess): Promise<Pick<Service, 'url' | 'mcpUrl' | 'dashboardUrl'>> {
  const lines = createInterface({ input: child.stdout! });
  for await (const line of lines) {
    const ready = /^auto-terminal \S+ ready api=(\S+)(?: mcp=(\S+))?(?: dashboard=(\S+))?$/;
    const [, url, mcpUrl, dashboardUrl] = ready.exec(line) ?? [];
    if (url !== undefined) return { url, mcpUrl, dashboardUrl };
  }
  throw new Error('stdout ended without a ready line');
}

/** Starts the built service as a process of its own, on free ports and a folder of its own. */
export async function startService(options: StartOptions = {}): Promise<Service> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'at-test-')));
  await chooseBackend(home);
  const main = options.main ?? CLI;
  const ports = ['--port', '0', '--mcp-port', '0', '--dashboard-port', '0'];
  const args = [...(options.flags ?? []), main, ...ports, ...(options.args ?? [])];
  if (!options.mcp) args.push('--no-mcp');
  // A HOME of its own, too: the user's rc files are no part of a test.
  const own = { HOME: home, ...environmentOn(home), ...options.env, AUTO_TERMINAL_HOME: home };
  const env = { ...process.env, ...own };
  const child = spawn(options.node ?? process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });

  async function kill(signal: NodeJS.Signals): Promise<number | null> {
    child.kill(signal);
    await within(DEADLINE_MS, exited(child), () => `the service outlived ${signal}:\n${log}`);
    return child.exitCode;
  }

  async function stop(): Promise<void> {
    try {
      await kill('SIGTERM');
    } finally {
      child.kill('SIGKILL');
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  try {
    const urls = await within(DEADLINE_MS, readyUrls(child), () => 'no ready line in time');
    child.stdout.resume();
    return { ...urls, pid: child.pid!, home, log: () => log, kill, stop };
  } catch (error) {
    child.kill('SIGKILL');
    await exited(child);
    throw new Error(`the service did not start; its stderr:\n${log}`, { cause: error });
  }
}
