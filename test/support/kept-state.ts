import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NodePlaces } from '#dist/actors/canvas/node-places.js';
import { KEPT_CODEC } from '#dist/actors/commands/kept-record.js';
import { EVENT_LOG_CODEC, HEAD } from '#dist/actors/event-log/kept-log.js';
import { readLog } from '#dist/actors/event-log/read-log.js';
import { LAYOUT_CODEC } from '#dist/actors/layout/codec.js';
import { OPERATION_CODEC } from '#dist/actors/operations/kept-operation.js';
import { RUN_CODEC } from '#dist/actors/runs/kept-run.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Codec, Shelf } from '#dist/store/store.js';
import type { Api } from './http.js';
import { search } from './search.js';

/** Text that a terminal of each kept state has printed. */
export const NEEDLE = 'needle-of-the-kept-state';

/** Settings that do not depend on the machine. */
const SETTINGS = ['terminals', 'search', 'cliTypes', 'agents'];

const FORMATS = ['json', 'text', 'html', 'asciicast'] as const;

/**
 * Packs the state of a home, without files that last only as long as its processes. Keeps the times of files to the
 * nanosecond.
 */
export function pack(home: string, archive: string): void {
  const reproducible = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--format=pax'];
  // By default, the names of extended headers contain the pid of tar.
  const names = '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime';
  const left = ['--exclude=data/run', '--exclude=*.log', '--exclude=lock.mdb'];
  execFileSync('tar', [...reproducible, names, ...left, '-czf', archive, '-C', home, 'config', 'data']);
}

/** Unpacks a kept state into a new folder, and returns the folder. */
export async function unpack(archive: string): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'at-kept-'));
  execFileSync('tar', ['-xzf', archive, '-C', home]);
  return home;
}

/**
 * Reads the store of a home with the codecs of this build, from a copy. Runs, keys and events are read here and not
 * from a service: a service drops runs and keys after 24 hours, and drops the events of another boot of the machine.
 */
export async function recordsOf(home: string) {
  const folder = join(home, 'read');
  await mkdir(folder, { mode: 0o700 });
  await cp(join(home, 'data', 'store'), join(folder, 'store'), { recursive: true });
  const lines: string[] = [];
  const log = (_fields: object, message: string) => void lines.push(message);
  const store = await openStore(join(folder, 'store'), { warn: log, error: log } as never);
  const all = <T>(name: string, codec: Codec<T>) => everyRecord(store.shelf(name, codec));
  const events = store.shelf('events', EVENT_LOG_CODEC);
  const head = events.get(HEAD);
  const boot = head?.kind === 'head' ? head.boot : null;
  const left = readLog(events, { boot });
  const places = new NodePlaces(store);
  const records = {
    layout: Object.fromEntries(store.collection('layout', LAYOUT_CODEC).all()),
    places: Object.fromEntries(places.ids().map((id) => [id, places.get(id)])),
    runs: all('runs', RUN_CODEC),
    operations: all('operations', OPERATION_CODEC),
    commands: all('commands', KEPT_CODEC),
    events: left && { ...left, events: left.events.map(({ json }) => json), facts: [...left.facts] },
  };
  await store.close();
  await rm(folder, { recursive: true });
  // Converted to text and back: the file beside the state has no undefined values, either.
  return { lines, records: JSON.parse(JSON.stringify(records)) };
}

function everyRecord<T>(shelf: Shelf<T>): Record<string, T | undefined> {
  return Object.fromEntries(shelf.ids('').map((id) => [id, shelf.get(id)]));
}

/**
 * Resolves with the answers of a service on a kept state, without facts that depend on when or where the service
 * starts.
 */
export async function answersOf(api: Api) {
  const body = async <Body>(path: string): Promise<Body> => {
    const answer = await api.get<Body>(path);
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`);
    return answer.body;
  };
  const { profiles } = await body<{ profiles: { is_custom: boolean }[] }>('/api/profiles');
  const { terminals } = await body<{ terminals: Terminal[] }>('/api/terminals?status=all');
  const { recordings } = await body<{ recordings: { id: string }[] }>('/api/recordings');
  const settings = await body<Record<string, unknown>>('/api/settings');
  const exports: Record<string, string> = {};
  for (const { id } of recordings) {
    for (const format of FORMATS) {
      const answer = await api.raw({
        ...{ method: 'POST', path: `/api/recordings/${id}/export`, body: JSON.stringify({ format }) },
        headers: { 'content-type': 'application/json' },
      });
      if (answer.status !== 200) throw new Error(`the export of ${id} answered ${answer.status}`);
      exports[`${id} ${format}`] = answer.body;
    }
  }
  const commands: Record<string, unknown> = {};
  for (const { id } of terminals) commands[id] = await body(`/api/terminals/${id}/commands`);
  return {
    profiles: profiles.filter((profile) => profile.is_custom),
    // Sorted by name, since the host finds terminals in the order of the folder. Each start sets `exitedAt` anew.
    terminals: terminals
      .map(({ exitedAt: _, ...terminal }: Terminal & { exitedAt?: number }) => terminal)
      .sort((a, b) => a.name.localeCompare(b.name)),
    settings: Object.fromEntries(SETTINGS.map((name) => [name, settings[name]])),
    canvas: await body('/api/canvas/graph'),
    recordings,
    exports,
    search: await search(api, NEEDLE),
    commands,
  };
}
