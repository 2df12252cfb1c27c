import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Redaction } from '#dist/actors/redaction/redaction.js';
import { isSecretName, secretValues } from '#dist/actors/redaction/secret-values.js';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Store } from '#dist/store/store.js';
import { SecretFinder } from '#dist/workers/redaction/secret-finder.js';
import { SecretHash } from '#dist/workers/redaction/secret-hash.js';

let folder: string;
let store: Store;
let redaction: Redaction;
let isOn: boolean;
let needed: string[];
let settings: { patterns: Record<string, string>; allow: string[] };
let logged: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-redaction-'));
  isOn = true;
  needed = ['term_a', 'term_b'];
  settings = { patterns: {}, allow: [] };
  logged = [];
  await open();
});
afterEach(async () => {
  // A finder does not wait for the key to be written; this does.
  await redaction.planOf('term_a');
  await store.close();
  await rm(folder, { recursive: true });
});

async function open(): Promise<void> {
  const log = (_fields: unknown, message: string) => void logged.push(message);
  const logger = { warn: log, error: log } as never;
  store = await openStore(join(folder, 'store'), logger);
  redaction = await Redaction.open({
    ...{ store, logger, keyFile: join(folder, 'key') },
    ...{ settings: () => settings, isOn: () => isOn, needed: () => needed },
  });
}

async function reopen(): Promise<void> {
  await store.close();
  await open();
}

const of = (id: string, text: string) => redaction.finderOf(id).redact(text);

describe('the secrets of a terminal', () => {
  it('are recognised by their variables, also after a restart, with the same hash', async () => {
    await redaction.note('term_a', { DB_PASSWORD: 'correct horse', HOME: '/home/somebody' }, []);
    const redacted = of('term_a', 'say correct horse in /home/somebody');
    expect(redacted).toMatch(/^say \[redacted:DB_PASSWORD:[0-9a-f]{8}\] in \/home\/somebody$/);
    expect(of('term_b', 'say correct horse')).toBe('say correct horse');
    await reopen();
    expect(of('term_a', 'say correct horse in /home/somebody')).toBe(redacted);
    expect((await redaction.planOf('term_a')).known).toHaveLength(1);
  });

  it('are kept in no form that anybody could read, with a key that only its owner can read', async () => {
    await redaction.note('term_a', { DB_PASSWORD: 'correct horse' }, []);
    const file = join(folder, 'key');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await store.close();
    expect(await readFile(join(folder, 'store', 'data.mdb'), 'latin1')).not.toContain('correct');
    await open();
  });

  it('leave nothing on the disk while nothing is redacted', async () => {
    isOn = false;
    await redaction.note('term_a', { DB_PASSWORD: 'correct horse' }, []);
    await expect(stat(join(folder, 'key'))).rejects.toThrow('ENOENT');
    await redaction.note('term_a', { DB_PASSWORD: 'correct horse' }, ['DB_PASSWORD']);
    expect(of('term_a', 'correct horse')).toMatch(/^\[redacted:DB_PASSWORD/);
  });

  it('are known up to a restart where they cannot be stored, and the log says so', async () => {
    await store.close();
    await redaction.note('term_a', { DB_PASSWORD: 'correct horse' }, []);
    expect(of('term_a', 'correct horse')).toMatch(/^\[redacted:DB_PASSWORD:/);
    expect(logged).toEqual([expect.stringContaining('known up to a restart')]);
    await open();
    expect(of('term_a', 'correct horse')).toBe('correct horse');
  });

  it('are forgotten once neither terminal nor recording needs them', async () => {
    for (const id of ['term_a', 'term_c']) await redaction.note(id, { A_TOKEN: 'correct horse' }, []);
    redaction.keepOf(needed, 1);
    expect(of('term_c', 'correct horse')).not.toContain('horse');
    redaction.keepOf(needed);
    expect(of('term_a', 'correct horse')).not.toContain('horse');
    expect(of('term_c', 'correct horse')).toBe('correct horse');
    await reopen();
    expect(of('term_c', 'correct horse')).toBe('correct horse');
  });
});

it('goes by the settings as they are', () => {
  expect(of('term_a', 'acme_12345')).toBe('acme_12345');
  settings = { patterns: { acme: 'acme_\\d{5}' }, allow: [] };
  expect(of('term_a', 'acme_12345')).toMatch(/^\[redacted:acme:/);
});

it('begins with another key where it is damaged, and logs it', async () => {
  await writeFile(join(folder, 'key'), 'damaged');
  await reopen();
  expect(logged).toEqual([expect.stringContaining('damaged')]);
});

it('takes the names of variables that hold a secret', () => {
  const secret = [
    'API_KEY',
    'GITHUB_TOKEN',
    'token',
    'DB_PASSWORD',
    'PASSWORD_OLD',
    'AWS_SECRET',
    'TOKEN_2',
    'APIKEY',
  ];
  const others = ['PWD', 'OLDPWD', 'KEYBOARD', 'SSH_AUTH_SOCK', 'PUBLIC_KEY', 'TOKENIZERS', 'MONKEY', 'PATH'];
  expect(secret.filter(isSecretName)).toEqual(secret);
  expect(others.filter(isSecretName)).toEqual([]);
});

it('names the kind of a value by what a mark can hold', () => {
  const env = { '.odd name-TOKEN': 'eight888' };
  expect(secretValues(env, [], new SecretHash(new Uint8Array(32)))[0]?.name).toBe('_odd_name_TOKEN');
});

it('refuses a named secret that is not there, or too short', () => {
  const hash = new SecretHash(new Uint8Array(32));
  expect(() => secretValues({ A: 'x' }, ['B'], hash)).toThrow(
    "value of B is not in the program's environment",
  );
  for (const name of ['constructor', 'toString', '__proto__'])
    expect(() => secretValues({ A: 'x' }, [name], hash)).toThrow(`value of ${name} is not in`);
  expect(() => secretValues({ A: 'seven77' }, ['A'], hash)).toThrow('value of A has fewer than 8 characters');
  expect(secretValues({ A: 'eight888', B: 'other value' }, ['A'], hash)).toHaveLength(1);
});

it('recognises all of a value that is longer than what is kept of one, and named values before others', () => {
  const key = new Uint8Array(32);
  const value = Array.from({ length: 1_000 }, (_, index) => `part-${index}-`).join('');
  const many = Array.from({ length: 300 }, (_, index) => `a line of the key ${index}`).join('\n');
  const known = secretValues({ MANY_KEY: many, A_TOKEN: value, B: value }, ['B'], new SecretHash(key));
  const finder = SecretFinder.of({ key, settings: { patterns: {}, allow: [] }, known });
  expect(value.length).toBeGreaterThan(8_192);
  expect(finder.redact(`a ${value} b`)).toMatch(/^a (\[redacted:(A_TOKEN|B):[0-9a-f]{8}\]){3} b$/);
});
