import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CanvasGroup } from '#dist/contract/canvas.js';
import type { LayoutTree, LeafPane } from '#dist/contract/layout.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi } from './http.js';
import { answersOf, NEEDLE, pack, recordsOf, unpack } from './kept-state.js';
import { eventually, hostPidOf, processInfo } from './processes.js';
import { ALL_OPTIONS, startRecording, stopRecording } from './recordings.js';
import { found } from './search.js';
import { type Service, startService } from './service.js';

/** Settings of every kind. The token is not in use anywhere. */
const SETTINGS = {
  network: { authToken: '0'.repeat(64) },
  terminals: { scrollback: 1_234, shards: 1, nice: 5, keepExitedMs: 3_600_000, defaultProfile: 'bash' },
  search: { index: true, maxBytes: 268_435_456 },
  cliTypes: { agent_b: { submit: '\u001b\r', submitDelayMs: 150 } },
  agents: { 'my-agent': { commands: ['my-agent'], scripts: ['@me/my-agent'] } },
};

/** A shell whose output names neither machine nor user. */
const PROFILE = {
  ...{ name: 'Kept shell', path: '/bin/bash', args: ['--norc', '--noprofile'], cwd: '/', icon: '🐚' },
  env: { PS1: '$ ', KEPT: 'yes' },
};

async function ok<Body>(answered: Promise<{ status: number; body: Body }>): Promise<Body> {
  const { status, body } = await answered;
  if (status > 299) throw new Error(`the service answered ${status}: ${JSON.stringify(body)}`);
  return body;
}

/**
 * Makes a state with a real service. The service first stops cleanly, so that the store has its copy, and is later
 * killed together with its pty host while a recording runs. Writes the state, and the answers of a service that starts
 * on it, into `folder`, which must not exist yet.
 */
export async function makeState(folder: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'at-make-'));
  await mkdir(join(home, 'config'), { mode: 0o700 });
  await writeFile(join(home, 'config', 'config.json'), `${JSON.stringify(SETTINGS, null, 2)}\n`, {
    mode: 0o600,
  });
  const first = await startService({ home });
  const { id: profile } = await ok(createApi(first.url).post<{ id: string }>('/api/profiles', PROFILE));
  await first.kill('SIGTERM');
  const second = await startService({ home });
  await fill(createApi(second.url), second, profile);
  await killBoth(second);
  await mkdir(folder);
  const archive = join(folder, 'state.tar.gz');
  pack(home, archive);
  await rm(home, { recursive: true });
  await writeExpected(archive, join(folder, 'expected.json'));
}

async function fill(api: Api, { home }: Service, profile: string): Promise<void> {
  const create = (body: object) => ok(api.post<Terminal>('/api/terminals', { profile, ...body }));
  const one = await create({ name: 'one', labels: { role: 'kept', place: 'left' } });
  const tree = await ok(api.get<LayoutTree>('/api/layout'));
  const { id: paneId } = tree.tabs[0]!.root as LeafPane;
  const two = await create({ name: 'two', paneId, direction: 'vertical', labels: { role: 'kept' } });
  const withKey = (key: string) => createApi(api.url, { headers: { 'idempotency-key': key } });
  const asked = { profile, name: 'three', parentTerminalId: one.id };
  const three = await ok(withKey('kept-create').post<Terminal>('/api/terminals', asked));
  const group = await ok(
    api.post<CanvasGroup>('/api/canvas/groups', {
      ...{ label: 'Kept group', color: '#3b82f6', x: 10, y: 20, width: 900, height: 700 },
    }),
  );
  const node = { x: 31, y: 42, width: 480, height: 320, groupId: group.id };
  await ok(api.put(`/api/canvas/nodes/${two.id}`, node));
  await ok(api.post('/api/canvas/edges', { from: two.id, to: three.id, label: 'feeds' }));

  const stopped = await startRecording(api, one.id, ALL_OPTIONS);
  const running = await startRecording(api, two.id, ALL_OPTIONS);
  const command = `echo ${NEEDLE} é漢🙂; (exit 3)`;
  const inBoth = { terminalIds: [one.id, two.id], command };
  await ok(withKey('kept-run').post('/api/terminals/batch/run', inBoth));
  await ok(api.post(`/api/terminals/${one.id}/resize`, { cols: 100, rows: 30 }));
  await ok(
    api.post(`/api/terminals/${one.id}/input`, { data: "printf 'typed \\033[1;31mred\\033[0m\\n'\r" }),
  );
  await found(api, 'typed');
  await stopRecording(api, stopped);
  await ok(api.post(`/api/terminals/${two.id}/input`, { data: 'echo last$((40 + 2))line\r' }));
  const file = join(home, 'data', 'recordings', `${running}.recording`);
  await eventually('the last line is recorded', () => readFileSync(file, 'utf8').includes('last42line'));
  // Once the index has the last line, it has all earlier output.
  await found(api, 'last42line');
  await found(api, NEEDLE, 2);
}

/** Kills the service and its pty host as a loss of power does, except that the disk has everything that was written. */
async function killBoth(service: Service): Promise<void> {
  const host = hostPidOf(service.home);
  await service.kill('SIGKILL');
  process.kill(host, 'SIGKILL');
  // The host must not even be a zombie: the next host must detect that this host is gone.
  await eventually('the pty host has ended', () => processInfo(host) === undefined);
}

async function writeExpected(archive: string, file: string): Promise<void> {
  const home = await unpack(archive);
  const { records } = await recordsOf(home);
  const service = await startService({ home });
  const expected = { records, answers: await answersOf(createApi(service.url)) };
  await service.stop();
  await writeFile(file, `${JSON.stringify(expected, null, 2)}\n`);
}
