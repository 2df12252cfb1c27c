import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { resolvePaths } from '#dist/config/paths.js';
import type { BatchRunAnswer } from '#dist/contract/run.js';
import type { HostConnection } from '#dist/workers/pty-host/client/host-client.js';
import type { StartHostOptions } from '#dist/workers/pty-host/client/start-host.js';
import { connectOrStartHost } from '#dist/workers/pty-host/client/start-host.js';
import { Collector } from '../engine/collector.js';
import { createApi } from '../support/http.js';
import { type OtherRelease, otherRelease } from '../support/other-release.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { type Service, startService } from '../support/service.js';

/** See test/fixtures/releases/README.md. */
const OLD = new URL('../fixtures/releases/protocol-8/', import.meta.url);
const OLD_HOST = new URL('pty-host.js', OLD);
const OLD_CLIENT = new URL('host-client.js', OLD);
const PRESENT_HOST = new URL(import.meta.resolve('#dist/workers/pty-host/main.js'));
/** The pty host of services, which run from the bundle. */
const BUNDLED_HOST = new URL(import.meta.resolve('#bundle/workers/pty-host/main.js')).pathname;
const env = { SHELL: '/bin/bash' };

interface OldClient {
  connectOrStartHost(options: StartHostOptions): Promise<{ host: HostConnection; started: boolean }>;
}

const ending: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ending.splice(0).reverse()) await end();
});

/** A new home, and the options that start a host where the service of that home looks for it. */
async function emptyHome(entry: URL): Promise<{ home: string; options: StartHostOptions }> {
  const home = await mkdtemp(join(tmpdir(), 'at-test-'));
  const { hostSocket, dataFolder } = resolvePaths({
    env: { AUTO_TERMINAL_HOME: home },
    platform: process.platform,
    tmpFolder: tmpdir(),
  });
  mkdirSync(dataFolder, { recursive: true });
  const places = { socketPath: hostSocket, logFile: join(home, 'host.log'), spillFolder: dataFolder };
  return { home, options: { ...places, instanceId: 'of the release before', orphanMs: 600_000, entry } };
}

async function run(service: Service, ids: string[], command: string) {
  const { body } = await createApi(service.url).post<BatchRunAnswer>('/api/terminals/batch/run', {
    terminalIds: ids,
    command,
  });
  return body.results.map(({ exitCode, raw }) => [exitCode, raw]);
}

describe('a pty host of the release before', () => {
  it('serves the service of this one: its terminals go on, and new ones start', async () => {
    const { home, options } = await emptyHome(OLD_HOST);
    const old = (await import(OLD_CLIENT.href)) as OldClient;
    const first = await old.connectOrStartHost(options);
    const { hostPid } = first.host;
    first.host.close();
    const service = await startService({ home, env });
    ending.push(() => service.stop());
    expect(service.log()).toContain('the pty host stays of an older release');
    expect(readFileSync(`/proc/${hostPid}/cmdline`, 'utf8')).toContain(OLD_HOST.pathname);
    const id = await openTerminal(createApi(service.url), ['bash']);
    expect(await run(service, [id], 'echo one; (exit 7)')).toEqual([[7, 'one\n']]);
    expect(await service.kill('SIGUSR2')).toBe(0);
    const next = await startService({ home, env });
    ending.push(() => next.stop());
    expect(await run(next, [id], 'echo two; (exit 8)')).toEqual([[8, 'two\n']]);
  });
});

describe('a pty host of this release', () => {
  it('serves the client of the release before', async () => {
    const { home, options } = await emptyHome(PRESENT_HOST);
    ending.push(() => rm(home, { recursive: true }));
    const present = await connectOrStartHost(options);
    const spawned = await present.host.spawn({
      ...{ id: 'term_1', file: '/bin/sh', args: ['-c', 'printf ready; read x; echo "[$x]"; exit "$x"'] },
      ...{ env: { PATH: process.env.PATH ?? '' }, cwd: '/', cols: 80, rows: 24, meta: 'kept' },
    });
    present.host.close();
    const old = (await import(OLD_CLIENT.href)) as OldClient;
    let host: HostConnection | null = null;
    await eventually('the place is free', async () => {
      host = (await old.connectOrStartHost(options).catch(() => null))?.host ?? null;
      return host !== null;
    });
    const [listed] = await host!.list();
    expect(listed).toMatchObject({ id: 'term_1', pid: spawned.pid, meta: 'kept', exit: null });
    const sink = new Collector();
    sink.attach(host!, listed!.handle);
    await sink.until('ready', () => sink.text === 'ready');
    await host!.type(listed!.handle, [{ data: '6\r' }]);
    expect(await sink.end()).toMatchObject({ exitCode: 6 });
    expect(sink.text).toBe('ready6\r\n[6]\r\n');
    await host!.shutdown();
  });

  it('replaces its program by a newer one when that release starts, and its terminals go on', async () => {
    const older: OtherRelease = await otherRelease('0.0.9');
    ending.push(() => older.remove());
    const before = await startService({ env, main: older.main });
    const { home } = before;
    const [host] = hostsOf(home, older.host);
    const api = createApi(before.url);
    const shells = await Promise.all([0, 1, 2].map(() => openTerminal(api, ['bash'])));
    const ends = await openTerminal(api, ['bash']);
    expect(await run(before, shells, 'cd /tmp; x=5')).toEqual(shells.map(() => [0, '']));
    expect(await before.kill('SIGUSR2')).toBe(0);
    const service = await startService({ home, env });
    ending.push(() => service.stop());
    expect(service.log()).toContain('the pty host has been renewed');
    expect(hostsOf(home, BUNDLED_HOST)).toEqual([host]);
    expect(await run(service, shells, 'echo "$PWD $x"; (exit $x)')).toEqual(
      shells.map(() => [5, '/tmp 5\n']),
    );
    await createApi(service.url).post(`/api/terminals/${ends}/input`, { data: 'exit 9\r' });
    await eventually('it has ended', async () => {
      const { body } = await createApi(service.url).get<{ status: string; exitCode: number | null }>(
        `/api/terminals/${ends}`,
      );
      return body.status === 'exited' && body.exitCode === 9;
    });
    // Another start of the same release has nothing to renew.
    expect(await service.kill('SIGUSR2')).toBe(0);
    const next = await startService({ home, env });
    ending.push(() => next.stop());
    expect(next.log()).not.toContain('the pty host has been renewed');
    expect(await run(next, shells, 'echo "$x"')).toEqual(shells.map(() => [0, '5\n']));
  });
});

/** Returns the pids of the pty hosts of this home that run this main module. */
function hostsOf(home: string, main: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return args.includes(main) && args.some((arg) => arg.startsWith(home));
      } catch {
        return false;
      }
    })
    .map(Number);
}
