import { describe, expect, test } from 'vitest';
import { type Failure, watch } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { useSharedService } from '../support/use-service.js';
import { WaitClient } from '../support/waits.js';

const used = useSharedService();
const waits = new WaitClient(() => used.api);

const found = (match: string) => ({ done: true, reason: 'text', match });
const TIMEOUT = { done: false, reason: 'timeout' };
const TOO_SLOW = { done: false, reason: 'regex-too-slow' };

/**
 * Longer than any answer takes. A pattern has a second of processor time, which its thread gets last: six patterns take
 * minutes on a full machine.
 */
const timeoutMs = 240_000;

/** Patterns that take practically forever on many a's with another character after them. */
const BOMBS = ['(a+)+$', '^(a|aa)+$', '(a|a?)+$', '(a*)*\\1b'];

const MANY = 1_000_000;

/** A terminal that has printed a megabyte of a's and a `!`, and a cursor from before. */
async function megabyte(): Promise<{ id: string; since: string }> {
  const script = `stty -echo; echo ready; read x; head -c ${MANY} /dev/zero | tr '\\0' a; printf '!'; read x`;
  const id = await waits.open(['sh', '-c', script]);
  await waits.shown(id, 'ready');
  const since = await waits.cursor(id);
  await waits.type(id, '\r');
  await waits.shown(id, 'a!');
  return { id, since };
}

describe('POST /api/terminals/:id/wait, until text, with a regex', () => {
  test.each([
    ['what it matched', 'built in 1234 ms\\n', 'built in (\\d+) ms$', 'built in 1234 ms'],
    ['several lines', 'one\\ntwo\\n', '^one\\ntwo$', 'one\ntwo'],
    ['a line that wraps', `${'.'.repeat(77)}needle`, 'needle', 'needle'],
    ['other scripts', '日本語\\n', '^\\p{Script=Han}+$', '日本語'],
    ['a prompt, with its blank', 'name? ', 'name\\? $', 'name? '],
    ['a prompt that is drawn', 'x\\033[5;3Hname? ', 'name\\? $', 'name? '],
    ['the last state of a line', ' 50%%\\r100%%\\n', '^\\s*\\d+%$', '100%'],
    ['text with colours', 'a \\033[31mnee\\033[32mdle\\033[m\\n', 'ne+dle', 'needle'],
    ['what is lined up by tabs', 'a\\tb\\n', 'a\\s+b', 'a\tb', 'a       b'],
  ])(
    '%s: printed before the call and during it, with a cursor and without',
    async (_what, printed, regex, ...matches) => {
      const id = await waits.printing();
      const since = await waits.cursor(id);
      const body = { until: 'text', regex, timeoutMs };
      const during = [await waits.begin(id, body), await waits.begin(id, { ...body, since })];
      expect(during.map((wait) => wait.isSettled())).toEqual([false, false]);
      await waits.type(id, `${printed}\r`);
      const answers = await Promise.all(during.map(async ({ answer }) => (await answer).body));
      answers.push(await waits.wait(id, body), await waits.wait(id, { ...body, since }));
      for (const answer of answers) {
        expect(answer).toMatchObject({ done: true, reason: 'text' });
        expect(matches).toContain(answer.match);
      }
    },
  );

  test('text that a full-screen program shows, also if it fills lines with blanks', async () => {
    const id = await waits.printing();
    await waits.type(id, `\\033[?1049h\\033[3;1H${'status: done'.padEnd(80)}\\033[5;8Hdle\\033[5;5Hnee\r`);
    for (const [regex, match] of [
      ['^status: \\w+$', 'status: done'],
      ['ne+dle', 'needle'],
    ] as const) {
      expect(await waits.wait(id, { until: 'text', regex, timeoutMs })).toMatchObject(found(match));
    }
  });

  test('timeoutMs 0 asks for the present state', async () => {
    const id = await waits.printing();
    const now = (regex: string) => waits.wait(id, { until: 'text', regex, timeoutMs: 0 });
    expect(await now('^read+y$')).toMatchObject(found('ready'));
    expect(await now('ne+dle')).toMatchObject(TIMEOUT);
  });

  test('a cursor excludes older text', async () => {
    const id = await waits.printing();
    await waits.type(id, 'needle 1\\n\r');
    await waits.shown(id, 'needle 1');
    const body = { until: 'text', regex: 'needle \\d', since: await waits.cursor(id) };
    expect(await waits.wait(id, { ...body, timeoutMs: 300 })).toMatchObject(TIMEOUT);
    const wait = await waits.begin(id, { ...body, timeoutMs });
    await waits.type(id, 'needle 2\\n\r');
    expect((await wait.answer).body).toMatchObject({ ...found('needle 2'), raw: 'needle 2' });
  });

  test('a match within a flood, and in text that has left the screen', async () => {
    const script = 'stty -echo; echo ready; read x; seq 1 20000; read x';
    const id = await waits.open(['sh', '-c', script]);
    await waits.shown(id, 'ready');
    const since = await waits.cursor(id);
    const body = { until: 'text', regex: '^1999\\d$', timeoutMs };
    const during = await waits.begin(id, body);
    await waits.type(id, '\r');
    expect((await during.answer).body).toMatchObject(found('19990'));
    expect(await waits.wait(id, { ...body, regex: '^123\\d$', since })).toMatchObject(found('1230'));
  });

  test('never: a timeout at the given time', async () => {
    const id = await waits.printing();
    const begin = performance.now();
    const answer = await waits.wait(id, { until: 'text', regex: 'ne+dle', timeoutMs: 300 });
    expect(answer).toMatchObject({ ...TIMEOUT, raw: '' });
    expect(performance.now() - begin).toBeGreaterThanOrEqual(300);
  });

  test.each(['(', '[', 'a{2,1}', '*', '\\', '(?<n>a)(?<n>b)', '\\p{Nothing}', '(?<=a', '\\8', 'a**'])(
    '%s is invalid: 400, and says why',
    async (regex) => {
      const id = await waits.printing();
      const { status, body } = await waits.send<Failure>(id, { until: 'text', regex, timeoutMs });
      expect(status).toBe(400);
      expect(body.error).toMatch(/^regex: /);
    },
  );

  test('a long pattern that ends invalid: 400 as well', async () => {
    const id = await waits.printing();
    const body = { until: 'text', regex: `${'\\p{L}'.repeat(100)}(`, timeoutMs };
    const { status, body: failure } = await waits.send<Failure>(id, body);
    expect([status, failure.error]).toEqual([400, expect.stringMatching(/^regex: /)]);
  });
});

describe('a regex that backtracks without end, on 1 MB of a', () => {
  test.each(BOMBS)('%s: answered by its deadline', async (regex) => {
    const { id, since } = await megabyte();
    const both = [{}, { since }].map((more) => waits.wait(id, { until: 'text', regex, timeoutMs, ...more }));
    for (const answer of await Promise.all(both)) expect(answer).toMatchObject(TOO_SLOW);
    // The terminal is unharmed.
    expect(await waits.wait(id, { until: 'text', regex: 'a!$', timeoutMs })).toMatchObject(found('a!'));
  });

  test('a pattern that takes long to compile is not given up, nor are those after it', async () => {
    const id = await waits.printing();
    await waits.type(id, `${'a'.repeat(2_000)}!\r`);
    await waits.shown(id, 'a!');
    const regex = `${'(?:[\\p{L}]|[\\p{N}]|[\\p{S}])'.repeat(30)}!`;
    expect(await waits.wait(id, { until: 'text', regex, timeoutMs })).toMatchObject(
      found(`${'a'.repeat(30)}!`),
    );
  });

  test('meanwhile another terminal takes input and answers', async () => {
    const [{ id }, other] = [await megabyte(), await waits.open(['cat'])];
    const watcher = await watch(used.service.url, `terminals=${other}`);
    const bombs = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        waits.begin(id, { until: 'text', regex: BOMBS[index % BOMBS.length], timeoutMs }),
      ),
    );
    for (let round = 0; round < 50; round++) {
      watcher.send({
        id: `${round}`,
        type: 'command',
        payload: { action: 'terminal:input', terminalId: other, data: `round ${round}.\r` },
      });
      // The terminal echoes each line, and cat prints it.
      await watcher.until(() => watcher.output(other).split(`round ${round}.`).length === 3);
    }
    // All rounds were over before the last pattern was answered.
    expect(bombs.some((bomb) => !bomb.isSettled())).toBe(true);
    for (const { answer } of bombs) expect((await answer).body).toMatchObject(TOO_SLOW);
    await watcher.close();
  });

  test('a good regex beside them is found before they are given up', async () => {
    const [{ id }, other] = [await megabyte(), await waits.printing()];
    const good = await waits.begin(other, { until: 'text', regex: 'ne+dle', timeoutMs });
    const bombs = await Promise.all(
      BOMBS.map((regex) => waits.begin(id, { until: 'text', regex, timeoutMs })),
    );
    await waits.type(other, 'needle\\n\r');
    expect((await good.answer).body).toMatchObject(found('needle'));
    for (const { answer } of bombs) expect((await answer).body).toMatchObject(TOO_SLOW);
  });

  test('a wait that times out, or whose client has left, gives its turn to the next', async () => {
    const { id } = await megabyte();
    const [regex] = BOMBS;
    const short = Array.from({ length: 20 }, () => waits.wait(id, { until: 'text', regex, timeoutMs: 200 }));
    const gone = new AbortController();
    const left = Array.from({ length: 20 }, () =>
      fetch(`${used.service.url}/api/terminals/${id}/wait`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ until: 'text', regex, timeoutMs }),
        signal: gone.signal,
      }).catch((error: Error) => error.name),
    );
    await eventually('they wait', async () => (await waits.count()) >= 20);
    gone.abort();
    expect(new Set(await Promise.all(left))).toEqual(new Set(['AbortError']));
    for (const { done, reason } of await Promise.all(short)) {
      expect([done, ['timeout', 'regex-too-slow'].includes(reason)]).toEqual([false, true]);
    }
    expect(await waits.wait(id, { until: 'text', regex: 'a!$', timeoutMs })).toMatchObject(found('a!'));
    await waits.none();
  });
});
