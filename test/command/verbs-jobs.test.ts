import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { CLI } from '../support/cli.js';
import { environmentFor, verbsAt } from '../support/command.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const { run, out, json, create } = verbsAt(() => used.service.home);

describe('signal', () => {
  test('ends the program of a terminal, by a name with or without SIG', async () => {
    const ids = [await create('--', 'sleep', '1000'), await create('--', 'sleep', '1000')];
    expect(await run('signal', ids[0]!, 'TERM')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await run('signal', ids[1]!, 'sigkill')).toEqual({ code: 0, stdout: '', stderr: '' });
    await out('wait', ...ids, '-u', 'exited', '-m', 'all');
    for (const [index, state] of ['SIGTERM', 'SIGKILL'].entries())
      expect(await out('show', ids[index]!)).toMatch(new RegExp(`^state +ended: ${state}$`, 'm'));
    expect(await run('signal', ids[0]!, 'TERM')).toMatchObject({ code: 3, stdout: '' });
    await out('close', ...ids);
  });

  test('refuses names that are none, and spares a shell at its prompt', async () => {
    const id = await create();
    expect(await run('signal', id, '9')).toMatchObject({ code: 2, stderr: expect.stringContaining('USR1') });
    await out('exec', id, '--', 'true');
    const idle = await run('signal', id, 'KILL');
    expect(idle).toMatchObject({ code: 5, stderr: expect.stringContaining('Start a command first') });
    expect(await out('exec', id, '--', 'echo alive')).toBe('alive\n');
    await out('close', id);
  });
});

describe('wait', () => {
  test('ends with an event in one terminal, and says what it was', async () => {
    const id = await create('-n', 'one');
    await out('wait', 'one', '-u', 'prompt');
    await out('send', 'one', '--enter', 'printf "r%sy\\n" ead; (exit 3)');
    expect(await out('wait', 'one', '--text', 'ready')).toMatch(/^event +text\nmatch +ready\n$/);
    expect(await out('wait', 'one', '-u', 'text', '--regex', 'r..dy', '-q')).toBe(`${id}\n`);
    expect(await json('wait', 'one', '-u', 'command')).toMatchObject({
      ...{ schema: 1, terminalId: id, done: true, reason: 'command', exitCode: 3 },
    });
    expect(await out('wait', 'one', '-u', 'quiet', '--quiet-for', '0.2')).toBe('event   quiet\n');
    expect(await run('wait', 'one', '-u', 'exit', '-t', '0.1')).toMatchObject({
      ...{ code: 124, stdout: expect.stringMatching(/^event +timeout\n$/) },
    });
    await out('send', 'one', '--enter', 'exit 4');
    expect(await out('wait', 'one', '-u', 'exit')).toMatch(/^event +exit\nexit code +4\n$/);
    expect(await run('wait', 'one', '-u', 'text', '--text', 'never')).toMatchObject({ code: 1 });
    await out('close', 'one');
  });

  test('of several terminals or for no known event is refused', async () => {
    const two = await run('wait', '--all', '-u', 'prompt');
    expect(two).toMatchObject({ code: 2, stderr: expect.stringContaining('Give one target') });
    const none = await run('wait', 'x', '-u', 'nothing');
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('waiting, idle') });
    expect(await run('wait', 'x', '-m', 'some')).toMatchObject({ code: 2 });
  });
});

test('exec -d prints the id of the run, and does not wait', async () => {
  const id = await create();
  const runId = (await out('exec', '-d', id, '--', 'echo o""k; sleep 1000')).trim();
  expect(runId).toMatch(/^run_[0-9a-z]{12}$/);
  await out('wait', id, '--text', 'ok');
  const { body } = await used.api.get<{ state: string }>(`/api/runs/${runId}`);
  expect(body.state).toBe('running');
  await out('signal', id, 'INT');
  await out('wait', id, '-u', 'prompt');
  await out('close', id);
});

test('send --paste pastes for a program that has asked for that, and submits only with --enter', async () => {
  const script =
    'stty raw -echo; printf "\\033[?2004hready"; dd bs=1 count=20 2>/dev/null | od -An -c -w40; sleep 1000';
  const id = await create('--', 'sh', '-c', script);
  await out('wait', id, '--text', 'ready');
  await out('send', id, '--paste', '--enter', 'a\nb=c');
  await out('send', id, '--enter', 'rest');
  await out('wait', id, '--regex', '2 +0 +0 +~');
  const [, shown = ''] = (await out('screen', id)).split('ready');
  expect(shown.replace(/\s+/g, ' ').trim()).toMatch(/^033 \[ 2 0 0 ~ a \\[rn] b = c 033 \[ 2 0 1 ~ \\r r e$/);
  expect(await run('send', id, '')).toMatchObject({ code: 2 });
  await out('close', id);
});

test('send, keys and prompt type only when they may: under a lease, in line, and to an idle agent', async () => {
  const id = await create('--', 'cat');
  const { body } = await used.api.post<{ leaseId: string }>(`/api/terminals/${id}/lease`, { ttlMs: 600_000 });
  const refused = await run('send', id, 'no', '--queue', '0.01');
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('--queue SECONDS waits in line'),
  });
  expect((await run('keys', id, 'enter', '--when-busy', 'refuse')).code).toBe(5);
  expect((await run('prompt', id, 'no', '--when-busy', 'refuse')).code).toBe(5);
  const other = await create('--', 'cat');
  const both = ['--target', id, '--target', other];
  for (const verb of ['send', 'prompt'])
    expect((await run('batch', verb, ...both, 'x', '--when-busy', 'refuse')).code).toBe(5);
  await out('close', other);
  await out('send', id, 'mine', '--enter', '--lease', body.leaseId);
  await used.api.delete(`/api/terminals/${id}/lease?leaseId=${body.leaseId}`);
  const none = await run('prompt', id, 'x', '--if-agent-idle');
  expect(none).toMatchObject({ code: 5, stderr: expect.stringContaining('No agent runs in the terminal') });
  await out('send', id, 'end', '--enter', '--when-busy', 'queue');
  await out('wait', id, '--text', 'end');
  expect(await out('logs', id)).toBe('mine\nmine\nend\nend\n');
  expect(await run('send', id, 'x', '--when-busy', 'never')).toMatchObject({ code: 2 });
  await out('close', id);
});

test('logs -f goes on until the program has ended, and has all that it has printed by then', async () => {
  const id = await create('--', 'sh', '-c', 'read line; seq 300; exit 4');
  const following = run('logs', '-f', id);
  await out('send', id, '--enter', 'go');
  expect(await following).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/\n299\n300\n$/),
    stderr: '',
  });
});

test.each([
  ['one terminal', (id: string) => [id], ''],
  ['two terminals', (id: string, other: string) => [id, other], 'typing | '],
])(
  'logs -f of %s continues an unfinished line, with the blanks at its end',
  async (_many, targets, prefix) => {
    const script = 'stty -echo; printf "one\nName: "; read name; printf "%s\nend" "$name"; read last';
    const id = await create('-n', 'typing', '--', 'sh', '-c', script);
    const other = await create('-n', 'quiet', '--', 'sh', '-c', 'read line');
    await out('wait', id, '--text', 'Name:');
    const env = environmentFor(used.service.home);
    const child = spawn(process.execPath, [CLI, 'logs', '-f', ...targets(id, other)], { env });
    const printed = text(child.stdout);
    await once(child.stdout, 'data');
    await out('send', id, '--enter', 'me');
    await out('wait', id, '--text', 'end');
    await out('close', other);
    await out('send', id, '--enter', 'x');
    expect(await printed).toMatch(
      new RegExp(`^${prefix}one\n${prefix}Name: me\n${prefix}end`.replaceAll('|', '\\|')),
    );
    await out('close', id);
  },
);
