import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { CreatedToken } from '#dist/contract/access.js';
import { command, verbsAt } from '../support/command.js';
import { guard } from '../support/guarded.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
const { run, out, create } = verbsAt(() => used.service.home);

test('token makes, shows, lists and revokes tokens, and a verb with one can do no more than it allows', async () => {
  expect(await out('token', 'show')).toMatch(/^mode +open\nverbs +read,.*admin\n$/);
  const id = await create('-n', 'mine', '-l', 'team=a', '--', 'cat');
  await create('-n', 'other', '--', 'cat');
  const { own, send } = await guard(used.service);
  // The unix socket belongs to the user, who needs no token there.
  expect((await out('ls', '-q')).trim().split('\n')).toHaveLength(2);

  const file = join(used.service.home, 'reader.token');
  const made = await out(
    'token',
    'create',
    '-n',
    'reader',
    '--verbs',
    'read,search',
    '-s',
    'team=a',
    '--file',
    file,
  );
  expect(made).not.toContain('at_');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = (await readFile(file, 'utf8')).trim();
  expect(await out('ls', '-q', '--token-file', file)).toBe(`${id}\n`);
  expect(await out('token', 'show', '--token-file', file)).toMatch(
    /^mode +guarded\nverbs +read,search\ntoken +reader\nterminals +team=a\nexpires +\S+Z\n$/,
  );
  const refused = await run('new', '--token-file', file, '--', 'cat');
  expect([refused.code === 0, refused.stderr]).toEqual([
    false,
    expect.stringContaining('auto-terminal token show says what you may do'),
  ]);
  expect((await run('show', 'other', '--token-file', file)).code).toBe(3);
  // An existing file is not overwritten, and no token is made.
  expect((await run('token', 'create', '-n', 'x', '--verbs', 'read', '--file', file)).code).not.toBe(0);
  expect((await run('token', 'create', '-n', 'x', '--verbs', 'rule')).stderr).toContain('verbs');

  const printed = JSON.parse(
    await out(
      ...['token', 'create', '-n', 'second', '--verbs', 'type', '--own', '--expires', '60'],
      ...['--rate', '1000', '-o', 'json'],
    ),
  ) as CreatedToken;
  expect(printed).toMatchObject({ own: true, ratePerMinute: 1000, token: expect.stringMatching(/^at_/) });
  expect((await out('token', 'list')).split('\n').map((line) => line.split('\t').slice(1, 4))).toEqual([
    ['reader', 'read,search', 'team=a'],
    ['second', 'type', 'own'],
    [],
  ]);
  const rotated = (await out('token', 'rotate', printed.id, '--overlap', '60', '--file', `${file}.2`)).trim();
  expect(rotated).not.toContain('at_');
  const next = (await readFile(`${file}.2`, 'utf8')).trim();
  const own2 = async (by: string) => (await send(by, 'GET', '/api/tokens/self')).body?.token?.id;
  expect([await own2(printed.token), await own2(next)]).toEqual([printed.id, printed.id]);
  await out('token', 'rotate', printed.id);
  expect([await own2(printed.token), await own2(next)]).toEqual([printed.id, undefined]);
  const [first] = (await out('token', 'list', '-q')).split('\n');
  await out('token', 'revoke', first!, printed.id);
  expect(await out('token', 'list')).toBe('');
  expect((await send(text, 'GET', '/api/terminals')).status).toBe(401);
  expect((await run('token', 'revoke', printed.id)).code).toBe(3);

  const granted = await create('-n', 'agent', '--grant', 'read,control', '--', 'cat');
  const { body } = await send(own, 'GET', '/api/tokens');
  expect(body.tokens).toMatchObject([{ terminalId: granted, verbs: ['read', 'control'] }]);
});

test('a text that no header can hold is no token', async () => {
  const file = join(used.service.home, 'two-lines');
  await writeFile(file, 'at_1\nat_2\n');
  const fix = expect.stringContaining('Give the token alone');
  expect(await run('ls', '--token-file', file)).toMatchObject({ code: 2, stderr: fix });
  await writeFile(file, '\n');
  expect(await run('ls', '--token-file', file)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is empty'),
  });
  const env = { AUTO_TERMINAL_TOKEN: 'at_1\nat_2' };
  expect(await command(used.service.home, ['ls'], { env })).toMatchObject({ code: 2, stderr: fix });
});

test('revoke takes each token back, also behind an id that is gone', async () => {
  const made = await run('token', 'create', '-n', 'old', '--verbs', 'read', '-q');
  const id = made.stdout.trim();
  const revoked = await run('token', 'revoke', 'tok_000000000000', id);
  expect(revoked).toMatchObject({ code: 3, stderr: expect.stringContaining('tok_000000000000') });
  expect(await out('token', 'list', '-q')).not.toContain(id);
});

test('a token that was not made leaves no file', async () => {
  const file = join(used.service.home, 'unmade');
  const env = { AUTO_TERMINAL_HOME: join(used.service.home, 'nowhere') };
  const args = ['token', 'create', '-n', 'x', '--verbs', 'read', '--file', file];
  expect((await command(used.service.home, args, { env })).code).toBe(7);
  await expect(stat(file)).rejects.toThrow('ENOENT');
});
