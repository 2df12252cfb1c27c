import { beforeAll, describe, expect, test } from 'vitest';
import type { AttachedClient } from '#dist/contract/attach.js';
import type { RecordingSummary } from '#dist/contract/recording.js';
import type { TerminalView } from '#dist/contract/terminal-view.js';
import { CLI } from '../support/cli.js';
import { command, verbsAt } from '../support/command.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { fakeAgents } from '../support/fake-agents.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const home = () => used.service.home;
const { run, out, json, create } = verbsAt(home);
closeAfterEach();

/** Creates terminals with the label `set`, by one request. */
async function createSet(set: string, count: number, ...command: string[]): Promise<string[]> {
  const client = connectTo(ofHome(home()));
  const options = { labels: { set }, ...(command.length > 0 && { command }) };
  const { results } = await client.terminals.createMany(Array.from({ length: count }, () => options));
  return results.map((result) => result.terminal!.id);
}

describe('batch', () => {
  let ids: string[];
  beforeAll(async () => {
    ids = await createSet('batch', 3);
    await out('batch', 'run', '-l', 'set=batch', '-q', '--', 'true');
  });

  test('types, presses keys, and gives prompts', async () => {
    const listed = await command(home(), ['batch', 'send', '-l', 'set=batch', '--enter'], {
      input: 'A=$((40 + 2)); echo "first $A"',
    });
    expect(listed).toEqual({ code: 0, stdout: '', stderr: '' });
    await out('wait', '-l', 'set=batch', '-u', 'finished', '-m', 'all');
    await out('batch', 'send', '--target', ids[0]!, '--target', ids[1]!, 'echo "then $A"');
    await out('batch', 'keys', '-l', 'set=batch', 'space', 'enter');
    await out('batch', 'prompt', '--all', '--type', 'default', 'echo "last $A"');
    for (const id of ids) await out('wait', id, '--text', 'last 42');
    const shown = await Promise.all(ids.map((id) => out('screen', id)));
    expect(shown.map((text) => text.includes('first 42'))).toEqual([true, true, true]);
    expect(shown.map((text) => text.includes('then 42'))).toEqual([true, true, false]);
  });

  test('labels and closes', async () => {
    await out('batch', 'label', '-l', 'set=batch', 'set-', 'now=here');
    const { terminals } = await json<{ terminals: TerminalView[] }>('ls', '-l', 'now=here');
    expect(terminals.map(({ labels }) => labels)).toEqual(ids.map(() => ({ now: 'here' })));
    await out('batch', 'close', '-l', 'now=here');
    expect(await out('ls', '-q')).toBe('');
  });

  test.each([
    [['batch', 'send', '-l', 'set=none', 'x'], 3, 'No terminal runs with the labels set=none'],
    [['batch', 'run', '--all', '--', 'true'], 3, 'No terminal runs'],
    [['close', '-l', 'set=none'], 3, 'auto-terminal ls lists'],
    [['close', '--all'], 0, ''],
    [['batch', 'keys', 'enter'], 2, 'No terminal is named'],
    [['batch', 'keys', '--all', '-l', 'a=b', 'enter'], 2, 'Give only one of them'],
    [['batch', 'label', '-l', 'set=none', 'nonsense'], 2, 'name=value'],
  ])('%j ends with %i', async (args, code, text) => {
    expect(await run(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(text) });
  });
});

test('progress is shown to a person, and nothing of it stays', async () => {
  await createSet('progress', 6, 'cat');
  const client = connectTo(ofHome(home()));
  // The person's shell is a terminal of the service, and would be among the terminals that --all closes.
  const script = `"${process.execPath}" "${CLI}" close -l set=progress; echo "code $?"`;
  const person = await client.terminals.create({ command: ['sh', '-c', script], hold: true });
  const chunks: Uint8Array[] = [];
  for await (const chunk of person.stream({ from: 'start' })) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  expect(text).toMatch(/\r\x1b\[2K\d of 6 closed/);
  const { content } = await person.capture();
  expect(content.trimEnd()).toBe('code 0');
  expect(await run('ls', '-l', 'set=progress', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('an exited terminal takes a label, but no text, and says how it ended', async () => {
  const [gone, there] = await createSet('some', 2, 'cat');
  await out('signal', gone!, 'KILL');
  await out('wait', gone!, '-u', 'exit');
  const { code, stderr } = await run('label', gone!, 'x=y');
  expect([code, stderr]).toEqual([0, '']);
  const sent = await run('send', gone!, 'x');
  expect(sent).toMatchObject({ code: 3, stderr: expect.stringContaining('was ended by SIGKILL') });
  expect(sent.stderr).toContain(`auto-terminal logs ${gone}`);
  expect(await run('send', there!, 'x')).toMatchObject({ code: 0 });
  await out('close', gone!, there!);
});

describe('record', () => {
  test('starts, lists, stops and deletes recordings, as words and as before', async () => {
    const id = await create('-n', 'taped', '--', 'cat');
    const first = (await out('record', 'start', 'taped')).trim();
    expect(await out('record', 'ls', '--active', '-q')).toBe(`${first}\n`);
    await out('record', 'stop', first);
    const second = (await out('record', 'taped')).trim();
    await out('record', second, '--stop');
    const { recordings } = await json<{ recordings: RecordingSummary[] }>('record', 'ls');
    expect(recordings.map((recording) => [recording.id, recording.terminalId]).sort()).toEqual(
      [first, second].map((recording) => [recording, id]).sort(),
    );
    expect(await out('record', 'ls', '--active', '-q')).toBe('');
    await out('record', 'rm', first, second);
    expect(await out('record', 'ls')).toBe('');
    const again = await run('record', 'stop', first);
    expect(again).toMatchObject({ code: 3, stderr: expect.stringContaining('record ls --active') });
    expect((await run('export', first)).stderr).toContain('record ls');
    await out('close', 'taped');
  });

  test('export, play and rm say that a recording still goes on', async () => {
    await create('-n', 'going on', '--', 'cat');
    const recording = (await out('record', 'going on')).trim();
    for (const verb of [['export'], ['play'], ['record', 'rm']]) {
      const refused = await run(...verb, recording);
      expect(refused).toMatchObject({
        code: 5,
        stdout: '',
        stderr: expect.stringContaining('still going on'),
      });
      expect(refused.stderr).toContain(`auto-terminal record stop ${recording}`);
    }
    expect(await out('record', 'ls', '--active', '-q')).toBe(`${recording}\n`);
    await out('record', 'stop', recording);
    await out('record', 'rm', recording);
    await out('close', 'going on');
  });

  test('stop and rm name a recording in which they fail, and do the others', async () => {
    await create('-n', 'some', '--', 'cat');
    const gone = (await out('record', 'some')).trim();
    await out('record', 'stop', gone);
    await out('record', 'rm', gone);
    const active = (await out('record', 'some')).trim();
    const stopped = await run('record', 'stop', gone, active);
    expect(stopped).toMatchObject({ code: 3, stderr: expect.stringMatching(new RegExp(`^.*${gone}.*\n$`)) });
    expect(await out('record', 'ls', '-q')).toBe(`${active}\n`);
    const deleted = await run('record', 'rm', gone, active);
    expect(deleted).toMatchObject({ code: 3, stderr: expect.stringMatching(new RegExp(`^.*${gone}.*\n$`)) });
    expect(await out('record', 'ls')).toBe('');
    await out('close', 'some');
  });
});

test('an export leaves out the secrets of a terminal if it is told to', async () => {
  const secret = 'correct-horse-battery';
  const options = ['-n', 'secretive', '-e', `PLAIN=${secret}`, '--secret', 'PLAIN'];
  const id = await create(...options, '--', 'sh', '-c', 'read line; echo "it is $PLAIN"');
  const recording = (await out('record', 'start', id)).trim();
  await out('send', id, 'go', '--enter');
  await out('wait', id, '-u', 'exit');
  await out('record', 'stop', recording);
  const exported = (...args: string[]) => out('export', recording, '-f', 'text', ...args);
  expect(await exported()).toContain(secret);
  expect(await exported('--no-redact')).toContain(secret);
  expect(await exported('--redact')).toMatch(/it is \[redacted:PLAIN:[0-9a-f]{8}\]/);
  expect(await exported('--redact')).not.toContain(secret);
  await out('record', 'rm', recording);
  await out('close', id);
});

test('clients without a target are those of all terminals', async () => {
  const ids = await createSet('attached', 3, 'cat');
  const client = connectTo(ofHome(home()));
  const attachments = ids
    .slice(1)
    .map((id) => client.terminals.get(id).attach({ cols: 70, rows: 15, name: id }));
  const events = attachments.map((attachment) => attachment[Symbol.asyncIterator]());
  await Promise.all(events.map((each) => each.next()));
  let listed: AttachedClient[] = [];
  await eventually('both are attached', async () => {
    listed = (await json<{ clients: AttachedClient[] }>('clients')).clients;
    return listed.length === 2;
  });
  expect(listed.map(({ terminalId, name }) => [terminalId, name]).sort()).toEqual(
    ids
      .slice(1)
      .map((id) => [id, id])
      .sort(),
  );
  expect((await out('clients', ids[1]!, '-q')).trim().split('\n')).toHaveLength(1);
  expect(await out('clients', ids[0]!)).toBe('');
  await Promise.all(attachments.map((attachment) => attachment.detach()));
  await out('close', '-l', 'set=attached');
});

test('agents explain says why an agent counts as waiting', async () => {
  const agents = await fakeAgents();
  try {
    const id = await create('--', await agents.script('claude', drawnAgent(CLAUDE)));
    const { body: idle } = await used.api.post<{ done: boolean }>(`/api/terminals/${id}/wait`, {
      ...{ until: 'agent', agentStatus: 'idle', timeoutMs: 60_000 },
    });
    expect(idle.done).toBe(true);
    await out('send', id, 'p');
    await out('wait', id, '-u', 'waiting');
    const explained = await out('agents', 'explain', id);
    expect(explained).toMatch(
      /^agent +claude\nstatus +waiting\nwhy +\S.*\nrule +\S.*built in.*\nmatched +row \d+/,
    );
    expect(await json('agents', 'explain', id)).toMatchObject({ schema: 1, agentStatus: 'waiting' });
    expect(await out('agents', '-q')).toBe(`${id}\n`);
    await out('close', id);
    const none = await create('--', 'cat');
    expect(await run('agents', 'explain', none)).toMatchObject({ code: 3, stdout: '' });
    await out('close', none);
  } finally {
    await agents.remove();
  }
});

test('screen -w prints each new screen, and ends with the program', async () => {
  const id = await create('--', 'sh', '-c', 'echo one; read x; echo two; read x');
  await out('wait', id, '--text', 'one');
  const watching = out('screen', '-w', id);
  await out('send', id, '--enter', 'x');
  await out('wait', id, '--text', 'two');
  await out('send', id, '--enter', 'x');
  expect(await watching).toMatch(/two\n/);
  await out('close', id);
});
