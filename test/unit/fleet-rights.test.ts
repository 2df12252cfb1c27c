import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadIdentity } from '../../src/fleet/identity.js';
import { Machines, type MachinesOptions } from '../../src/fleet/machines.js';
import { covers, grantsOf, missingRight, type PinnedGrant, unasked } from '../../src/fleet/rights.js';
import { needOf } from '../../src/fleet/routes.js';

const grant = (fields: Partial<PinnedGrant>): PinnedGrant => ({
  ...{ id: 'grant_1', to: 'm_a', publicKey: 'key', can: ['observe'], terminals: '*' },
  ...{ until: null, createdAt: 0, ask: 'never', approved: false, ...fields },
});
const peer = { machineId: 'm_a', publicKey: 'key' };
const labels: Record<string, Record<string, string>> = { one: { role: 'test' }, two: {} };
const labelsOf = (id: string) => labels[id];

describe('grants', () => {
  test('that ask hold by themselves once the first use was approved', () => {
    const first = grant({ ask: 'first' });
    expect(unasked([grant({ ask: 'always', approved: true }), first])).toEqual([]);
    const approved = { ...first, approved: true };
    expect(unasked([approved, grant({})])).toEqual([approved, grant({})]);
  });

  test('of any right are enough to find a terminal', () => {
    const { need } = needOf('GET', '/api/fleet/terminals/one', undefined)!;
    expect(missingRight([grant({ can: ['close'] })], need, labelsOf)).toBeUndefined();
    expect(missingRight([grant({ can: ['close'], terminals: ['two'] })], need, labelsOf)).toBe('observe');
  });

  test('of the terminals that a run or a wait names are enough for it', () => {
    const own = [grant({ can: ['execute', 'observe'], terminals: ['one'] })];
    const missing = (path: string, body: object) =>
      missingRight(own, needOf('POST', `/api/terminals/${path}`, body)!.need, labelsOf);
    expect(missing('batch/run', { terminalIds: ['one'] })).toBeUndefined();
    expect(missing('batch/run', { runs: [{ terminalId: 'one' }, { terminalId: 'two' }] })).toBe('execute');
    expect(missing('wait', { terminalIds: ['one', 'two'] })).toBe('observe');
    expect(missing('batch/run', { selector: 'role=test' })).toBe('execute');
    for (const path of ['batch/input', 'batch/execute']) {
      const typing = { ...own[0]!, can: ['type' as const] };
      const missingIn = (body: object) =>
        missingRight([typing], needOf('POST', `/api/terminals/${path}`, body)!.need, labelsOf);
      expect(missingIn({ terminalIds: ['one'] })).toBeUndefined();
      expect(missingIn({ terminalIds: ['one', 'two'] })).toBe('type');
      expect(missingIn({ selector: 'role=test' })).toBe('type');
      expect(needOf('POST', `/api/terminals/${path}`, { terminalIds: [] })).toBeUndefined();
    }
    expect(needOf('POST', '/api/terminals/batch/run', { terminalIds: [] })).toBeUndefined();
    expect(needOf('POST', '/api/terminals/batch/run', { terminalIds: 'one' })).toBeUndefined();
    expect(needOf('POST', '/api/terminals/wait', { selector: 'a=b', machines: 'all' })).toBeUndefined();
  });

  test('hold for the key that they were given to, until their time', () => {
    expect(grantsOf([grant({})], peer, 0)).toHaveLength(1);
    expect(grantsOf([grant({})], { ...peer, publicKey: 'another' }, 0)).toEqual([]);
    expect(grantsOf([grant({ to: 'm_b' })], peer, 0)).toEqual([]);
    const until = new Date(1_000).toISOString();
    expect(grantsOf([grant({ until })], peer, 999)).toHaveLength(1);
    expect(grantsOf([grant({ until })], peer, 1_000)).toEqual([]);
  });

  test('cover all terminals, those of a list, or those with the labels', () => {
    const covered = (terminals: PinnedGrant['terminals']) =>
      ['one', 'two', 'gone'].filter((id) => covers({ terminals }, id, labelsOf(id)));
    expect(covered('*')).toEqual(['one', 'two', 'gone']);
    expect(covered(['two'])).toEqual(['two']);
    expect(covered('role=test')).toEqual(['one']);
    expect(covered('role=other')).toEqual([]);
  });

  test('give each right for each terminal, or the right is missing', () => {
    const grants = [grant({ terminals: ['one'] }), grant({ can: ['type'], terminals: 'role=test' })];
    const missing = (rights: PinnedGrant['can'], reach: string[] | 'all') =>
      missingRight(grants, { rights, reach }, labelsOf);
    expect(missing(['observe', 'type'], ['one'])).toBeUndefined();
    expect(missing(['observe'], ['one', 'two'])).toBe('observe');
    expect(missing(['type'], ['two'])).toBe('type');
    expect(missing(['observe'], 'all')).toBe('observe');
    expect(missing(['observe'], [])).toBeUndefined();
    expect(missing(['close'], [])).toBe('close');
    expect(missingRight([grant({ can: ['create'] })], { rights: ['create'], reach: 'all' }, labelsOf)).toBe(
      undefined,
    );
  });
});

describe('the table of routes', () => {
  test.each([
    ['GET', '/api/terminals/x/output?lines=3', undefined, { rights: ['observe'], reach: ['x'] }],
    ['DELETE', '/api/terminals/x', undefined, { rights: ['close'], reach: ['x'] }],
    ['GET', '/api/terminals?view=full', undefined, { rights: ['observe'], reach: [] }],
    // The cursor of a page names its last terminal.
    ['GET', '/api/terminals?limit=1', undefined, { rights: ['observe'], reach: 'all' }],
    ['GET', '/api/terminals?view=full&%61fter=x', undefined, { rights: ['observe'], reach: 'all' }],
    ['POST', '/api/fleet/execute', { command: 'x' }, { rights: ['execute', 'create'], reach: 'all' }],
    ['POST', '/api/fleet/execute', { terminalId: 'x' }, { rights: ['execute'], reach: ['x'] }],
    [
      'POST',
      '/api/fleet/screen',
      { terminalId: 'x', machineId: 'self' },
      { rights: ['observe'], reach: ['x'] },
    ],
    ['POST', '/api/recordings/start', { terminal_id: 'x' }, { rights: ['record'], reach: ['x'] }],
  ])('%s %s needs a right', (method, url, body, need) => {
    expect(needOf(method, url, body)?.need).toEqual(need);
  });

  test.each([
    ['GET', '/api/settings', undefined],
    ['PATCH', '/api/settings', {}],
    ['POST', '/api/settings/token/rotate', {}],
    ['PUT', '/api/profiles/x', {}],
    ['POST', '/api/fleet/grants', { to: 'm_a' }],
    ['GET', '/api/machines/m_b/terminals', undefined],
    ['PATCH', '/api/terminals/x', { labels: {} }],
    ['POST', '/api/fleet/execute', { terminalId: 7 }],
    ['POST', '/api/fleet/execute', { terminalId: 'x', machineId: 'm_b' }],
    ['POST', '/api/fleet/execute', { targetOS: 'linux' }],
    ['POST', '/api/fleet/screen', {}],
    ['POST', '/api/fleet/close', undefined],
    ['HEAD', '/api/terminals/x', undefined],
    ['GET', '/api/terminals/', undefined],
    ['GET', '/api/terminals/../settings', undefined],
    ['GET', '/api/terminals/./x', undefined],
    ['GET', '/api/terminals/a%2Fb', undefined],
    ['GET', '/api//terminals', undefined],
    ['GET', '/API/terminals', undefined],
    ['GET', '/api/terminals/x/output/', undefined],
    ['GET', '/api/terminals/x/stream', undefined],
  ])('%s %s is for no other machine', (method, url, body) => {
    expect(needOf(method, url, body)).toBeUndefined();
  });
});

describe('the rights of a machine', () => {
  test('count before this machine has connected, when the runs of an earlier service are resumed', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'at-rights-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const machines = ['m_a', 'm_b'].map((machineId) => ({
      ...{ machineId, publicKey: 'key', deviceName: machineId, os: 'linux', version: '1', lastSeenAt: null },
    }));
    const facts = { version: 1, role: 'member', fleetId: 'fleet', machines, invites: [] };
    const hub = { machineId: 'm_b', publicKey: 'key', isOutside: true };
    const grants = [grant({ can: ['execute'] }), grant({ to: 'm_gone', can: ['execute'] })];
    await loadIdentity(join(folder, 'machine-key'));
    await writeFile(join(folder, 'fleet.json'), JSON.stringify({ ...facts, hub, grants }));
    const fleet = await Machines.open({ folder, labelsOf } as unknown as MachinesOptions);
    expect(['m_a', 'm_b', 'm_gone'].map((id) => fleet.mayRun(id, 'one'))).toEqual([true, false, false]);
  });
});
