import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { LayoutTree } from '#dist/contract/layout.js';
import type { Profile } from '#dist/contract/profile.js';
import type { SettingsAnswer } from '#dist/contract/settings.js';
import type { Watch } from '#dist/contract/watch.js';
import type { CreatedWebhook, WebhookAttempt } from '#dist/contract/webhook.js';
import { command, verbsAt } from '../support/command.js';
import { isSigned, Receiver } from '../support/receiver.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, json, create } = verbsAt(() => used.service.home);

describe('config', () => {
  test('prints all settings, a section, or one value', async () => {
    const all = JSON.parse(await out('config')) as SettingsAnswer;
    expect(JSON.parse(await out('config', 'get'))).toEqual(all);
    expect(JSON.parse(await out('config', 'get', 'search'))).toEqual(all.search);
    expect(await out('config', 'get', 'terminals.scrollback')).toBe(`${all.terminals.scrollback}\n`);
    expect(await out('config', 'get', 'network.localUsers')).toBe('own\n');
  });

  test('shows the token only if asked to', async () => {
    const token = /^[0-9a-f]{64}\n$/;
    expect(await out('config', 'get', 'network.authToken')).not.toMatch(token);
    const shown = await out('config', 'get', 'network.authToken', '--reveal');
    expect(shown).toMatch(token);
    expect(await out('config', '--reveal')).toContain(shown.trim());
    expect(await out('config')).not.toContain(shown.trim());
  });

  test('sets a number, a text, a list, and the default again', async () => {
    for (const [path, value, shown] of [
      ['terminals.scrollback', '1234', '1234\n'],
      ['terminals.defaultProfile', 'sh', 'sh\n'],
      ['network.allowedOrigins', '["http://localhost:8080"]', '[\n  "http://localhost:8080"\n]\n'],
      ['cliTypes.mine.submit', '"\\r"', '\r\n'],
      ['terminals.scrollback', 'null', '1000\n'],
    ] as const) {
      expect(await run('config', 'set', path, value)).toMatchObject({ code: 0, stdout: '' });
      expect(await out('config', 'get', path)).toBe(shown);
    }
  });

  test('says what takes effect later', async () => {
    const { stderr } = await run('config', 'set', 'terminals.shards', '2');
    expect(stderr).toBe('auto-terminal: terminals.shards takes effect at the next start of the service\n');
    expect((await run('config', 'set', 'terminals.nice', '3')).stderr).toBe('');
  });

  test.each([
    [['set', 'terminals.scrollback', 'many'], 'scrollback'],
    [['set', 'terminals.nothing', '1'], 'nothing'],
    [['get', 'nothing'], 'There are: '],
    [['set', 'terminals', '5'], 'terminals'],
  ])('%j fails, and names what is wrong', async (args, text) => {
    const { code, stdout, stderr } = await run('config', ...args);
    expect([code, stdout, stderr]).toEqual([args[0] === 'get' ? 3 : 2, '', expect.stringContaining(text)]);
  });
});

test('profiles are added and deleted', async () => {
  const id = (
    await out(
      ...['profiles', 'add', 'Counter', '--path', '/bin/sh', '--arg=-c', '--arg', 'echo "$A$B"; exec cat'],
      ...['--env', 'A=4', '-e', 'B=2=', '--cwd', '/tmp', '--icon', 'hash'],
    )
  ).trim();
  const { profiles } = await json<{ profiles: Profile[] }>('profiles');
  expect(profiles.find((profile) => profile.id === id)).toMatchObject({
    ...{ name: 'Counter', path: '/bin/sh', args: ['-c', 'echo "$A$B"; exec cat'] },
    ...{ env: { A: '4', B: '2=' }, cwd: '/tmp', icon: 'hash', is_custom: true },
  });
  const terminal = await create('--profile', id);
  await out('wait', terminal, '-u', 'text', '--text', '42=');
  await out('close', terminal);
  await out('profiles', 'rm', id);
  expect(await out('profiles', '-q')).not.toContain(id);
  expect((await run('profiles', 'rm', id)).code).toBe(3);
  expect((await run('profiles', 'add', 'Pathless')).code).toBe(2);
});

test('webhooks are added, tested, listed, disabled and deleted', async () => {
  const receiver = await Receiver.open();
  const made = JSON.parse(
    await out(
      ...['webhooks', 'add', receiver.url, '-t', 'run.*', '-n', 'ci', '-l', 'role=test', '-o', 'json'],
    ),
  ) as CreatedWebhook;
  expect(made).toMatchObject({ name: 'ci', types: ['run.*'], selector: 'role=test', enabled: true });
  expect(await out('webhooks', 'test', made.id)).toMatch(/^outcome +delivered\nstatus +200\n/);
  expect(isSigned(receiver.got[0]!, made.secret)).toBe(true);
  receiver.reply = () => 500;
  const failing = await run('webhooks', 'test', made.id);
  expect([failing.code, failing.stderr]).toEqual([1, expect.stringContaining('the receiver answered 500')]);
  const { attempts } = await json<{ attempts: WebhookAttempt[] }>('webhooks', 'deliveries', made.id);
  expect(attempts.map(({ outcome }) => outcome)).toEqual(['test-failed', 'delivered']);
  await out('webhooks', 'disable', made.id);
  expect(await out('webhooks')).toMatch(/^wh_\w+\tci\tdisabled\ttest-failed\t0\trun\.\*\t/);
  expect(await out('webhooks', '-o', 'json')).not.toContain('whsec_');
  await out('webhooks', 'enable', made.id);
  expect(await out('webhooks')).toContain('\tenabled\t');
  await out('webhooks', 'rm', made.id);
  expect(await out('webhooks', '-q')).toBe('');
  await receiver.close();
});

test('watches are added, found, listed and deleted', async () => {
  const terminal = await create('--', 'sh', '-c', 'while read line; do echo "got $line"; done');
  const id = (
    await out('watches', 'add', 'got (this|that)', '-r', '--terminal', terminal, '--debounce', '0')
  ).trim();
  const plain = (
    await out(
      ...['watches', 'add', 'got', '-l', 'role=none', '--once', '--expires', '60', '--type', `${terminal}=x`],
    )
  ).trim();
  await out('send', terminal, 'this', '--enter');
  await expect
    .poll(async () => (await json<{ watches: Watch[] }>('watches')).watches.map(({ matches }) => matches))
    .toEqual([1, 0]);
  expect(await out('watches')).toMatch(new RegExp(`^${id}\t\tstands\t1\t\t${terminal}\t/got \\(this`));
  await out('watches', 'rm', id, plain);
  expect(await out('watches', '-q')).toBe('');
  await out('close', terminal);
});

test('a layout is applied as it was printed, and says which terminals are missing', async () => {
  const [kept, closed] = [await create(), await create()];
  const printed = await out('layout', 'get');
  expect(await out('layout')).toBe(printed);
  const file = join(used.service.home, 'layout.json');
  const [tab] = (JSON.parse(printed) as LayoutTree).tabs;
  const tree = { ...(JSON.parse(printed) as LayoutTree), activeTabId: tab!.id };
  tree.tabs = tree.tabs.map((each) => ({ ...each, title: `tab of ${each.id}` }));
  await writeFile(file, JSON.stringify(tree));
  await out('close', closed!);
  const applied = await run('layout', 'apply', file);
  expect(applied).toEqual({
    ...{ code: 0, stdout: '' },
    stderr: `auto-terminal: ${closed} does not run; its pane was left out\n`,
  });
  const now = JSON.parse(await out('layout', 'get')) as LayoutTree;
  expect(now.tabs.map(({ title }) => title)).toEqual([expect.stringMatching(/^tab of /)]);
  const again = await command(used.service.home, ['layout', 'apply', '-'], { input: JSON.stringify(now) });
  expect(again).toEqual({ code: 0, stdout: '', stderr: '' });
  for (const [args, text] of [
    [['/no/such/file'], 'cannot be read: ENOENT'],
    [['/etc/passwd'], 'is no JSON'],
  ] as const)
    expect(await run('layout', 'apply', ...args)).toMatchObject({
      ...{ code: 2, stdout: '' },
      stderr: expect.stringContaining(text),
    });
  await out('close', kept!);
});
