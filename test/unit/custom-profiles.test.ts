import { afterEach, beforeEach, expect, test } from 'vitest';
import { CustomProfiles } from '#dist/actors/custom-profiles.js';
import { createProfiles } from '#dist/actors/profiles.js';
import { MAX_CUSTOM_PROFILES } from '#dist/contract/limits.js';
import { ProfileBody } from '#dist/contract/profile.js';
import { type TestStore, testStore } from '../support/events.js';

let disk: TestStore;
let custom: CustomProfiles;
beforeEach(async () => {
  disk = await testStore();
  custom = new CustomProfiles(disk.store);
});
afterEach(() => disk.end());

const body = (rest: object = {}) => ProfileBody.parse({ name: 'x', path: '/bin/sh', ...rest });
/** The profiles of a machine without any shell. */
const profilesWith = (defaultProfile?: string) =>
  createProfiles({
    env: {},
    platform: 'linux',
    shellsFile: '/nonexistent',
    defaultProfile: () => defaultProfile,
    custom,
  });

test('ids are unique within a millisecond, in order, and never reused after a restart', async () => {
  const ids = await Promise.all(Array.from({ length: 100 }, () => custom.create(body())));
  expect(new Set(ids).size).toBe(100);
  expect(custom.list().map(({ id }) => id)).toEqual(ids);
  disk = await disk.reopen();
  custom = new CustomProfiles(disk.store);
  expect(ids).not.toContain(await custom.create(body()));
  expect(
    custom
      .list()
      .slice(0, 100)
      .map(({ id }) => id),
  ).toEqual(ids);
});

test('there are at most MAX_CUSTOM_PROFILES; deleting one makes room', async () => {
  const ids = await Promise.all(Array.from({ length: MAX_CUSTOM_PROFILES }, () => custom.create(body())));
  await expect(custom.create(body())).rejects.toMatchObject({ code: 'too-many-profiles', status: 409 });
  await custom.remove(ids[3]!);
  await custom.create(body());
  expect(custom.list()).toHaveLength(MAX_CUSTOM_PROFILES);
});

test('a custom profile is found by its id, and is the default if the setting names it or no other exists', async () => {
  const first = await custom.create(body({ name: 'first' }));
  const second = await custom.create(body({ name: 'second', args: ['-l'], env: { A: '1' }, cwd: '/' }));
  expect(profilesWith().resolve(second)).toMatchObject({ args: ['-l'], env: { A: '1' }, cwd: '/' });
  expect(profilesWith().resolve(undefined).id).toBe(first);
  expect(profilesWith(second).resolve('nope').id).toBe(second);
  expect(profilesWith(second).get(second).is_default).toBe(true);
  expect(profilesWith(second).get(first).is_default).toBe(false);
  expect(() => profilesWith().get('second')).toThrow('Profile not found');
});
