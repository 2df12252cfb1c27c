import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import { Sidecar, type SidecarOptions } from '#dist/actors/sidecar/sidecar.js';
import type { SidecarSettings } from '#dist/contract/sidecar.js';

/**
 * A child that acts like a sidecar: it listens at the ordered address, and reports its pid and its orders to any
 * client. The token selects how the child fails.
 */
const CHILD = `
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const orders = [];
let server;
let lingers = false;

function listen({ host, port }) {
  const next = createServer((request, response) => {
    response.end(JSON.stringify({ pid: process.pid, env: process.env.RIG, orders }));
  });
  return new Promise((resolve) => {
    next.once('error', (error) => resolve({ error: error.message, isPortTaken: error.code === 'EADDRINUSE' }));
    next.listen(port, host, () => {
      server?.close();
      server = next;
      resolve({ url: 'http://127.0.0.1:' + next.address().port + '/mcp' });
    });
  });
}

process.on('message', async ({ id, settings }) => {
  const [fault, once] = (settings.token ?? '').split(' ');
  const isNew = once === undefined || !existsSync(once);
  if (once !== undefined) writeFileSync(once, '');
  if (isNew && fault === 'die') process.exit(3);
  if (isNew && fault === 'hang') return;
  if (isNew && fault === 'babble') return process.send({ what: 'is this' });
  if (isNew && fault === 'let-go') return process.disconnect();
  if (isNew && fault === 'refuse') return process.send({ id, error: 'it cannot', isPortTaken: false });
  lingers = fault === 'linger';
  orders.push(settings);
  const { port } = settings;
  const isThere = server !== undefined && server.address().port === port;
  process.send({ id, ...(isThere ? { url: 'http://127.0.0.1:' + port + '/mcp' } : await listen(settings)) });
});
// Nothing but a signal ends it while it lingers.
process.on('disconnect', () => {
  if (!lingers) process.exit(0);
});
setInterval(() => undefined, 1000);
`;

/** A child's report of itself. */
interface ChildTold {
  pid: number;
  env: string;
  orders: SidecarSettings[];
}

export interface SidecarRig {
  sidecar: Sidecar;
  /** Messages of the log, by level. */
  log: { level: number; msg: string; err?: { message: string } }[];
  /** Returns settings with a token that makes the child fail; with `isOnce`, only the first process that gets it. */
  settings(fault?: string, isOnce?: boolean): SidecarSettings;
  /** Resolves with the report of the listening child; undefined if no child listens. */
  told(): Promise<ChildTold | undefined>;
}

/** Returns a supervised child that ends after the test. */
export async function sidecarRig(options: Partial<SidecarOptions> = {}): Promise<SidecarRig> {
  const folder = await mkdtemp(join(tmpdir(), 'at-sidecar-'));
  const script = join(folder, 'child.mjs');
  await writeFile(script, CHILD);
  const log: SidecarRig['log'] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void log.push(JSON.parse(line)) });
  const env = { ...process.env, RIG: 'of the rig' };
  const sidecar = new Sidecar({ entry: pathToFileURL(script), env, logger, ...options });
  onTestFinished(async () => {
    await sidecar.stop();
    await rm(folder, { recursive: true });
  });
  let files = 0;
  return {
    sidecar,
    log,
    settings: (fault = '', isOnce = false) => ({
      ...{ host: '127.0.0.1', port: 0, apiUrl: 'http://127.0.0.1:1', instanceId: 'i-1' },
      token: isOnce ? `${fault} ${join(folder, `told-${files++}`)}` : fault,
      ...{ allowedOrigins: [], localUsers: 'own', dashboardPort: 0, sessionIdleMs: 1_000 },
    }),
    told: async () => {
      const { url } = sidecar;
      if (url === undefined) return undefined;
      // Each request needs a new connection: a kept connection would lead to a process that is gone.
      const answer = await fetch(url, { headers: { connection: 'close' } }).catch(() => undefined);
      return (await answer?.json()) as ChildTold | undefined;
    },
  };
}

export const portOf = ({ sidecar }: SidecarRig) => Number(new URL(sidecar.url ?? '').port);

/** Resolves with the pid of the listening process; rejects if no process listens. */
export async function pidOf(rig: SidecarRig): Promise<number> {
  const told = await rig.told();
  if (!told) throw new Error('nobody listens');
  return told.pid;
}
