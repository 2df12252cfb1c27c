import { expect, test } from 'vitest';
import { grant, revokeAll } from '../support/fleet.js';
import { useFleetOfTwo } from '../support/fleet-of-two.js';
import { LiveWatch } from '../support/live-watch.js';
import { eventually } from '../support/processes.js';

const fleet = useFleetOfTwo();

/** Program that prints `lines` numbered lines, a few every `ms` milliseconds, once it reads a line. */
const printer = (lines: number, ms: number) => [
  ...[process.execPath, '-e'],
  `process.stdin.once('data', () => {
    let n = 0;
    const timer = setInterval(() => {
      for (let i = 0; i < 40 && n < ${lines}; i++)
        process.stdout.write('\\x1b[3' + (n % 8) + 'm' + n++ + ' ' + 'äé€😀x'.repeat(n % 40) + '\\r\\n');
      if (n >= ${lines}) { clearInterval(timer); process.stdout.write('all printed\\r\\n'); }
    }, ${ms});
  });`,
];

test('a watcher elsewhere gets exactly what one here gets, over broken connections', async () => {
  const id = await fleet.terminal(printer(6_000, 10));
  const here = await LiveWatch.open(fleet.laptop.service.url, `terminals=${id}&seq=1`);
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
  for (const part of [500, 2_000, 4_000]) {
    await here.until(`line ${part}`, () => here.text.includes(`m${part} `));
    fleet.relay.cut();
  }
  await here.until('the end here', () => here.text.includes('all printed'));
  await far.until('the end there', () => far.text.includes('all printed'));
  expect(far.text).toBe(here.text);
  expect([far.seq, far.screens, here.screens]).toEqual([here.seq, 0, 0]);
  await Promise.all([here.close(), far.close()]);
});

test('many watchers share one stream, and a late one begins with the screen', async () => {
  const id = await fleet.terminal(['cat']);
  const first = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'one\r' });
  await first.until('one', () => first.text.includes('one\r\none'));
  const second = await LiveWatch.open(fleet.there, `terminals=${id}&snapshot=1`);
  await second.until('the screen', () => second.screens === 1);
  const plain = await LiveWatch.open(fleet.there, `terminals=${id}`);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'two\r' });
  for (const each of [first, second, plain]) await each.until('two', () => each.text.includes('two\r\ntwo'));
  expect([first.screens, second.screens, plain.screens]).toEqual([0, 1, 0]);
  expect([second.seq, plain.seq]).toEqual([first.seq, 0]);
  const streams = async () => {
    const { body } = await fleet.laptop.api.raw({ method: 'GET', path: '/metrics' });
    return Number(/^auto_terminal_websocket_clients (\d+)$/m.exec(body)?.[1]);
  };
  expect(await streams()).toBe(1);
  await Promise.all([first, second, plain].map((each) => each.close()));
  await eventually('no stream', async () => (await streams()) === 0);
});

test('a right that is taken back ends the stream at once', async () => {
  const id = await fleet.terminal(['cat']);
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'seen\r' });
  await far.until('seen', () => far.text.includes('seen\r\nseen'));
  await revokeAll(fleet.laptop);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'hidden\r' });
  const ended = await far.until('the end', () => far.events.find(({ type }) => type === 'stream.ended'));
  expect(ended).toMatchObject({ terminalId: id, data: { code: 'not-granted', needs: 'observe' } });
  expect(far.text).not.toContain('hidden');
  // Neither another watcher nor another grant brings it back, until it is watched anew: then it begins with the screen.
  const printed = async (text: string, watch: LiveWatch) => {
    await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: `${text}\r` });
    await watch.until(text, () => watch.text.includes(`${text}\r\n${text}`));
  };
  const late = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  await late.until('the refusal', () => late.events.find(({ type }) => type === 'stream.ended'));
  await grant(fleet.laptop, fleet.hub, { can: ['observe', 'type'] });
  const other = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  await printed('again', other);
  // A reply comes after all that was sent before.
  expect(await far.command({ action: 'stream:watch', terminals: [] })).toMatchObject({ success: true });
  const ends = (watch: LiveWatch) => watch.events.filter(({ type }) => type === 'stream.ended').length;
  expect([ends(far), ends(late), far.text.includes('again'), far.screens]).toEqual([1, 1, false, 0]);
  await far.command({ action: 'stream:watch', terminals: [id] });
  await far.until('the screen', () => far.screens === 1);
  await printed('anew', far);
  expect([far.screens, far.text.match(/again/g)?.length]).toEqual([1, 2]);
  await Promise.all([far, late, other].map((each) => each.close()));
  await revokeAll(fleet.laptop);
  const refused = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  await refused.until('the refusal', () => refused.events.find(({ type }) => type === 'stream.ended'));
  await refused.close();
  await grant(fleet.laptop, fleet.hub, { can: ['observe', 'type'] });
});

test('a right that reaches its time ends the stream, and so does one that is taken back during a cut', async () => {
  const ended = (watch: LiveWatch) =>
    watch.until('the end', () => watch.events.find(({ type }) => type === 'stream.ended'));
  const id = await fleet.terminal(['cat']);
  await revokeAll(fleet.laptop);
  await grant(fleet.laptop, fleet.hub, {
    can: ['observe'],
    until: new Date(Date.now() + 3_000).toISOString(),
  });
  const short = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  expect(await ended(short)).toMatchObject({ data: { code: 'not-granted' } });
  await grant(fleet.laptop, fleet.hub, { can: ['observe'], terminals: [id] });
  const cut = await LiveWatch.open(fleet.there, `terminals=${id}&seq=1`);
  fleet.relay.cut(true);
  await revokeAll(fleet.laptop);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'hidden\r' });
  fleet.relay.heal();
  expect(await ended(cut)).toMatchObject({ data: { code: 'not-granted' } });
  expect(cut.text).not.toContain('hidden');
  await Promise.all([short, cut].map((each) => each.close()));
  await grant(fleet.laptop, fleet.hub, { can: ['observe', 'type'] });
});

test('events come as they happen, and resume', async () => {
  const events = new AbortController();
  const answer = await fetch(`${fleet.there}/events?types=terminal.created`, { signal: events.signal });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const reader = answer.body!.getReader();
  let text = '';
  const read = async (word: string) => {
    while (!text.includes(word)) text += Buffer.from((await reader.read()).value ?? []).toString();
  };
  await read('event: ready');
  const id = await fleet.terminal(['cat']);
  await read(id);
  const last = [...text.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';
  events.abort();
  const next = await fleet.terminal(['cat']);
  const again = new AbortController();
  const resumed = await fetch(`${fleet.there}/events?types=terminal.created`, {
    signal: again.signal,
    headers: { 'last-event-id': last },
  });
  text = '';
  const more = resumed.body!.getReader();
  while (!text.includes(next)) text += Buffer.from((await more.read()).value ?? []).toString();
  expect(text).not.toContain(id);
  again.abort();
});

test('what needs another right, or does not exist, is refused as by a request', async () => {
  expect(await fleet.hub.api.get(`/api/machines/${fleet.laptop.id}/recordings/rec_x`)).toMatchObject({
    status: 403,
    body: { code: 'not-granted', needs: 'record' },
  });
  expect(
    await fleet.hub.api.get(`/api/machines/${fleet.laptop.id}/terminals/term_none/stream`),
  ).toMatchObject({
    status: 404,
    body: { code: 'terminal-not-found' },
  });
});

test('a recording there is read here, whole, also over a broken connection', async () => {
  await grant(fleet.laptop, fleet.hub, { can: ['record'] });
  const id = await fleet.terminal(printer(6_000, 5));
  const started = await fleet.laptop.api.post<{ recordingId?: string; id?: string }>(
    '/api/recordings/start',
    {
      terminal_id: id,
    },
  );
  const recording = started.body.recordingId ?? started.body.id ?? '';
  const here = await LiveWatch.open(fleet.laptop.service.url, `terminals=${id}&seq=1`);
  await fleet.laptop.api.post(`/api/terminals/${id}/input`, { data: 'go\r' });
  await here.until('the end', () => here.text.includes('all printed'));
  await here.close();
  await fleet.laptop.api.post(`/api/recordings/stop/${recording}`);
  const path = `/recordings/${recording}`;
  const own = await fleet.laptop.api.raw({ method: 'GET', path: `/api${path}` });
  const answer = await fetch(`${fleet.there}${path}`);
  fleet.relay.cut();
  expect(answer.status).toBe(200);
  expect(await answer.text()).toBe(own.body);
  expect(own.body.length).toBeGreaterThan(500_000);
});
