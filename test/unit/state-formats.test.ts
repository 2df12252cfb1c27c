import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Canvas } from '#dist/actors/canvas/canvas.js';
import { KEPT_CODEC } from '#dist/actors/commands/kept-record.js';
import { CustomProfiles } from '#dist/actors/custom-profiles.js';
import { EVENT_LOG_CODEC } from '#dist/actors/event-log/kept-log.js';
import { Layout } from '#dist/actors/layout/layout.js';
import { OPERATION_CODEC } from '#dist/actors/operations/kept-operation.js';
import { PROMPT_CODEC } from '#dist/actors/prompts/kept-prompt.js';
import { RUN_CODEC } from '#dist/actors/runs/kept-run.js';
import { WATCH_CODEC } from '#dist/actors/watches/kept-watch.js';
import { DELIVERY_CODEC, WEBHOOK_CODEC } from '#dist/actors/webhooks/kept-webhook.js';
import { ConfigError } from '#dist/config/config-error.js';
import { type Paths, resolvePaths } from '#dist/config/paths.js';
import { claimState, FORMATS, refuseNewerState } from '#dist/config/state-formats.js';
import { RecordingFacts } from '#dist/contract/recording.js';
import { VERSION } from '#dist/contract/version.js';
import { BlockBuilder } from '#dist/store/search/block.js';
import type { Codec, Store } from '#dist/store/store.js';

let home: string;
let paths: Paths;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'at-formats-'));
  const env = { AUTO_TERMINAL_HOME: home };
  paths = resolvePaths({ env, platform: process.platform, tmpFolder: tmpdir() });
  await mkdir(paths.dataFolder, { recursive: true });
});
afterEach(() => rm(home, { recursive: true }));

const written = async () => JSON.parse(await readFile(paths.formatsFile, 'utf8'));

async function left(formats: object, release = '9.8.7', more: object = {}): Promise<string> {
  const text = JSON.stringify({ release, formats, ...more });
  await writeFile(paths.formatsFile, text);
  return text;
}

/** Puts a file into a folder, so that the folder counts as an existing part. */
async function fill(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'data.mdb'), 'x');
}

const refusal = async () => {
  const error: unknown = await claimState(paths).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(await refuseNewerState(paths).catch((reason: Error) => reason.message)).toBe(
    (error as Error).message,
  );
  return (error as Error).message;
};

describe('a folder', () => {
  test('without a file of formats is of the first ones, and gets the file', async () => {
    await fill(paths.storeFolder);
    await refuseNewerState(paths);
    await expect(readFile(paths.formatsFile)).rejects.toThrow('ENOENT');
    await claimState(paths);
    expect(await written()).toEqual({ release: VERSION, formats: FORMATS });
  });

  test('that does not exist is refused by nobody', async () => {
    await rm(paths.dataFolder, { recursive: true });
    await refuseNewerState(paths);
  });

  test('of older formats is claimed with those of this release; what others have added stays', async () => {
    await fill(paths.storeFolder);
    await left({ folder: 1, store: 1, tunnels: 4 }, '0.0.1', { note: 'kept' });
    const later = { ...FORMATS, store: 2, search: 3 };
    await claimState(paths, later);
    expect(await written()).toEqual({
      release: VERSION,
      formats: { ...later, tunnels: 4 },
      note: 'kept',
    });
  });

  test('of the same formats and release is left as it is', async () => {
    const text = await left(FORMATS, VERSION);
    await claimState(paths);
    expect(await readFile(paths.formatsFile, 'utf8')).toBe(text);
  });
});

describe('a newer format', () => {
  test('of the folder is refused, with both numbers, the release and what to do', async () => {
    const text = await left({ ...FORMATS, folder: 7 });
    expect(await refusal()).toBe(
      `${paths.dataFolder}: auto-terminal 9.8.7 wrote this folder in format 7, and this release (${VERSION}) ` +
        `reads formats up to ${FORMATS.folder}. Nothing was changed. Start 9.8.7 or later, or set AUTO_TERMINAL_HOME ` +
        'to another folder',
    );
    expect(await readFile(paths.formatsFile, 'utf8')).toBe(text);
  });

  test.each([
    ['store', 'storeFolder', ''],
    ['store', 'storeFolder', '.copy'],
    ['store', 'storeFolder', '.new'],
    ['search', 'searchFolder', ''],
    ['recordings', 'recordingsFolder', ''],
  ] as const)('of %s is refused while %s%s is there, and no longer', async (part, folder, ending) => {
    await left({ ...FORMATS, [part]: 2 });
    await fill(paths[folder] + ending);
    const said = await refusal();
    expect(said).toContain(`${paths[folder]}${ending}: auto-terminal 9.8.7 wrote the `);
    expect(said).toContain(`or move ${paths[folder]}${ending} away to begin without`);
    await rm(paths[folder] + ending, { recursive: true });
    await mkdir(paths[folder], { recursive: true });
    await claimState(paths);
    expect(await written()).toEqual({ release: VERSION, formats: FORMATS });
  });

  test.each([
    ['no JSON', '{'],
    ['no object', '7'],
    ['a number that is none', '{"release": "9.8.7", "formats": {"store": "new"}}'],
  ])('cannot be told from %s, which is refused, too', async (_what, text) => {
    await writeFile(paths.formatsFile, text);
    expect(await refusal()).toContain(`${paths.formatsFile}: is not a file of formats. Nothing was changed.`);
    expect(await readFile(paths.formatsFile, 'utf8')).toBe(text);
  });
});

/** Returns the version of each collection that these parts open. */
function versionsOf(open: (store: Store) => void): Record<string, number> {
  const versions: Record<string, number> = {};
  const collection = (name: string, { version }: Codec<unknown>) => {
    versions[name] = version;
    return { all: () => new Map(), get: () => undefined };
  };
  open({ collection, shelf: collection } as never);
  return versions;
}

test('a higher version of recordings, or of blocks of the index, comes with a higher format', () => {
  const recording = RecordingFacts.shape.version.value;
  const block = new BlockBuilder().encode().readUInt32LE(0);
  const { recordings, search } = FORMATS;
  expect({ recordings, recording, search, block }).toEqual({
    ...{ recordings: 1, recording: 1 },
    ...{ search: 1, block: 1 },
  });
});

test('a record of a higher version comes with a higher format of the store', () => {
  const logger = { error: () => undefined };
  const inMemory = versionsOf((store) => {
    new CustomProfiles(store);
    new Canvas({ store, logger });
    new Layout({ store, logger, onMoved: () => undefined });
  });
  const shelves = [
    KEPT_CODEC,
    RUN_CODEC,
    OPERATION_CODEC,
    EVENT_LOG_CODEC,
    WEBHOOK_CODEC,
    DELIVERY_CODEC,
    WATCH_CODEC,
    PROMPT_CODEC,
  ].map(({ version }) => version);
  // A new version of any format also needs a new FORMATS.store, and both belong here.
  expect({ format: FORMATS.store, inMemory, shelves }).toEqual({
    format: 1,
    inMemory: { profiles: 1, connections: 1, 'node-places': 1, 'canvas-groups': 1, layout: 1 },
    shelves: [1, 1, 1, 1, 1, 1, 1, 1],
  });
});
