import { expect, test } from 'vitest';
import { admissionTo } from '#dist/actors/admission/of-registry.js';
import { Creation, type CreationOptions } from '#dist/actors/creation.js';
import type { EngineEvent } from '#dist/actors/events.js';
import type { TerminalRecord } from '#dist/actors/terminal-record.js';
import { DomainError } from '#dist/contract/errors.js';
import type { SpawnResult } from '#dist/contract/host-protocol.js';
import { CreateTerminal } from '#dist/contract/terminal.js';

type Late = ((spawned: SpawnResult) => void) | undefined;

/** A host that does not answer in time. */
function rig(limits = {}) {
  const listed: TerminalRecord[] = [];
  const events: EngineEvent[] = [];
  const opened: string[] = [];
  const asked: Late[] = [];
  const creation = new Creation({
    profiles: { resolve: () => ({ id: 'sh', path: '/bin/sh', args: [] }) },
    environment: () => ({}),
    tabFor: () => 'tab',
    integrate: (start: object) => ({ ...start, shell: null }),
    nice: () => 0,
    limits: () => undefined,
    tmuxFor: async () => null,
    noteSecrets: async () => {},
    registry: {
      find: (id: string) => listed.find((record) => record.id === id),
      add: (record: TerminalRecord) => void listed.push(record),
    },
    events: { emit: (event: EngineEvent) => void events.push(event) },
    admission: admissionTo(
      {
        registry: {
          list: () => listed.filter(({ exit }) => exit === null),
          find: (id) => listed.find((record) => record.id === id),
        },
        events: { subscribe: () => undefined },
      },
      { settings: () => limits, memory: { read: () => ({ availableBytes: null, pressure: null }) } },
    ),
    parts: async () => ({
      host: {
        spawn: async (_: unknown, late: Late) => {
          asked.push(late);
          throw new DomainError('outcome-unknown');
        },
      },
      shards: { open: (id: string) => void opened.push(id) },
    }),
  } as unknown as CreationOptions);
  return { creation, listed, events, opened, asked };
}

test('a terminal whose program started late is listed, and found by a retry', async () => {
  const { creation, listed, events, opened, asked } = rig();
  const request = CreateTerminal.parse({ name: 'build' });
  await expect(creation.create(request, 'api', 'term_1')).rejects.toThrow(DomainError);
  expect(listed).toEqual([]);
  asked[0]!({ handle: 3, pid: 30 });
  expect(listed).toMatchObject([{ id: 'term_1', handle: 3, pid: 30, exit: null, meta: { name: 'build' } }]);
  expect(events).toMatchObject([{ type: 'created', id: 'term_1' }]);
  expect(opened).toEqual(['term_1']);
  expect(await creation.create(request, 'api', 'term_1')).toMatchObject({ id: 'term_1', name: 'build' });
});

test('a host that answers nothing about limits holds none', async () => {
  const { creation, listed, asked } = rig();
  const request = CreateTerminal.parse({ limits: { memoryBytes: 1e9, pids: null } });
  await expect(creation.create(request, 'api', 'term_1')).rejects.toThrow(DomainError);
  asked[0]!({ handle: 3, pid: 30 });
  expect(listed[0]?.limits).toEqual({
    ...{ by: null, memoryBytes: null, pids: null, cpuWeight: null },
    ...{ notHeld: ['memoryBytes'], why: expect.stringContaining('release') },
  });
});

test('a terminal for a single command is left to the host to end, and so is one that comes while the service stops', async () => {
  const { creation, listed, asked } = rig();
  const request = CreateTerminal.parse({});
  await expect(creation.create(request, 'fleet', 'term_1', { ifLate: 'end' })).rejects.toThrow(DomainError);
  await expect(creation.create(request, 'api', 'term_2')).rejects.toThrow(DomainError);
  creation.stop();
  expect(asked[0]).toBeUndefined();
  asked[1]!({ handle: 4, pid: 40 });
  expect(listed).toEqual([]);
});

test('a start with an unknown outcome counts until its terminal is listed, and like any other from then on', async () => {
  const { creation, asked } = rig({ maxTerminals: 1 });
  const request = CreateTerminal.parse({});
  await expect(creation.create(request, 'api', 'term_1')).rejects.toMatchObject({ code: 'outcome-unknown' });
  const over = { code: 'over-limit', details: { limit: 'maxTerminals', value: 1, max: 1 } };
  await expect(creation.create(request, 'api', 'term_2')).rejects.toMatchObject(over);
  asked[0]!({ handle: 3, pid: 30 });
  await expect(creation.create(request, 'api', 'term_2')).rejects.toMatchObject(over);
  expect(asked).toHaveLength(1);
});

test('a start that nobody would list, and one that is wrong, give their place back at once', async () => {
  const { creation, asked } = rig({ maxTerminals: 1 });
  const request = CreateTerminal.parse({});
  const terms = { ifLate: 'end' } as const;
  for (const id of ['term_1', 'term_2'])
    await expect(creation.create(request, 'fleet', id, terms)).rejects.toMatchObject({
      code: 'outcome-unknown',
    });
  expect(asked).toHaveLength(2);
});

test('a retry is not refused for the place that its own earlier attempt has', async () => {
  const { creation, listed, asked } = rig({ maxTerminals: 1 });
  const request = CreateTerminal.parse({ name: 'build' });
  for (let attempts = 0; attempts < 2; attempts++)
    await expect(creation.create(request, 'api', 'term_1')).rejects.toMatchObject({
      code: 'outcome-unknown',
    });
  expect(asked).toHaveLength(2);
  await expect(creation.create(request, 'api', 'term_2')).rejects.toMatchObject({ code: 'over-limit' });
  asked[0]!({ handle: 3, pid: 30 });
  expect(await creation.create(request, 'api', 'term_1')).toMatchObject({ id: 'term_1' });
  expect(listed).toHaveLength(1);
});
