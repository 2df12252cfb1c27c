import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { watch } from '../support/http.js';
import { useSharedService } from '../support/use-service.js';
import { WaitClient } from '../support/waits.js';

const used = useSharedService();
const waits = new WaitClient(() => used.api);

const found = (match: string) => ({ done: true, reason: 'text', match });
const TIMEOUT = { done: false, reason: 'timeout' };

/** Longer than any answer takes. */
const timeoutMs = 30_000;

describe('POST /api/terminals/:id/wait, until text', () => {
  test('a text printed 20 ms before the call is found, with an earlier cursor and without', async () => {
    const id = await waits.printing();
    const since = await waits.cursor(id);
    const watcher = await watch(used.service.url, `terminals=${id}`);
    await waits.type(id, 'the needle\\n\r');
    await watcher.untilOutput(id, 'needle');
    await delay(20);
    const [without, after] = await Promise.all([
      waits.wait(id, { until: 'text', text: 'needle', timeoutMs }),
      waits.wait(id, { until: 'text', text: 'needle', since, timeoutMs }),
    ]);
    expect(without).toMatchObject({ ...found('needle'), raw: '', truncated: false, integration: 'none' });
    expect(after).toMatchObject({ ...found('needle'), raw: 'the needle' });
    // Both answers return the cursor to continue from.
    for (const { cursor } of [without, after]) {
      expect(
        await waits.wait(id, { until: 'text', text: 'needle', since: cursor, timeoutMs: 0 }),
      ).toMatchObject({ ...TIMEOUT, raw: '' });
    }
    await watcher.close();
  });

  test('once off the screen it is found only with an earlier cursor', async () => {
    const id = await waits.printing();
    const since = await waits.cursor(id);
    await waits.type(id, `needle${'\\nmore'.repeat(100)}\\nlast\r`);
    await waits.shown(id, 'last');
    expect(await waits.wait(id, { until: 'text', text: 'needle', since, timeoutMs })).toMatchObject(
      found('needle'),
    );
    expect(await waits.wait(id, { until: 'text', text: 'needle', timeoutMs: 0 })).toMatchObject(TIMEOUT);
  });

  test('a text printed during the wait is found, and returned with the output meanwhile', async () => {
    const id = await waits.printing();
    const wait = await waits.begin(id, { until: 'text', text: 'needle', timeoutMs });
    await waits.type(id, 'some hay\\n\r');
    await waits.shown(id, 'some hay');
    expect(wait.isSettled()).toBe(false);
    await waits.type(id, 'a needle\\n\r');
    expect((await wait.answer).body).toMatchObject({ ...found('needle'), raw: 'some hay\na needle' });
  });

  test('a text that never comes is a timeout, at the given time, with the output', async () => {
    const id = await waits.printing();
    const begin = performance.now();
    const wait = waits.wait(id, { until: 'text', text: 'needle', timeoutMs: 300 });
    await waits.type(id, 'hay\\n\r');
    expect(await wait).toMatchObject({ ...TIMEOUT, raw: 'hay' });
    expect(performance.now() - begin).toBeGreaterThanOrEqual(300);
  });

  test('timeoutMs 0 asks for the present state', async () => {
    const id = await waits.printing();
    expect(await waits.wait(id, { until: 'text', text: 'ready', timeoutMs: 0 })).toMatchObject(
      found('ready'),
    );
    expect(await waits.wait(id, { until: 'text', text: 'needle', timeoutMs: 0 })).toMatchObject(TIMEOUT);
  });

  test('a text over two rows of the screen, or two lines', async () => {
    const id = await waits.printing();
    const [wrapped, lines] = [`${'.'.repeat(77)}needle`, 'first\nsecond'];
    const during = await waits.begin(id, { until: 'text', text: wrapped, timeoutMs });
    await waits.type(id, `${wrapped}\\nfirst\\nsecond\\n\r`);
    expect((await during.answer).body).toMatchObject(found(wrapped));
    // The texts are also found on the screen.
    for (const text of [wrapped, 'needle', lines]) {
      expect(await waits.wait(id, { until: 'text', text, timeoutMs })).toMatchObject(found(text));
    }
  });

  test('a text in two writes, before the call and after it', async () => {
    const id = await waits.printing();
    const since = await waits.cursor(id);
    await waits.type(id, 'a nee\r');
    await waits.shown(id, 'a nee');
    const bodies = [{}, { since }].map((more) => ({ until: 'text', text: 'needle', timeoutMs, ...more }));
    const both = [await waits.begin(id, bodies[0]!), await waits.begin(id, bodies[1]!)];
    expect(both.map((wait) => wait.isSettled())).toEqual([false, false]);
    await waits.type(id, 'dle\r');
    for (const { answer } of both) expect((await answer).body).toMatchObject(found('needle'));
  });

  test('a text with colours between its letters', async () => {
    const id = await waits.printing();
    const coloured = [...'needle'].map((letter, index) => `\\033[3${index}m${letter}`).join('\\033[0;1m');
    const during = await waits.begin(id, { until: 'text', text: 'needle', timeoutMs });
    await waits.type(id, `${coloured}\\n\r`);
    expect((await during.answer).body).toMatchObject({ ...found('needle'), raw: 'needle' });
    expect(await waits.wait(id, { until: 'text', text: 'needle', timeoutMs })).toMatchObject(found('needle'));
  });

  test('wide characters, emoji and combining marks, also if they wrap', async () => {
    const id = await waits.printing();
    const texts = ['日本語', '👍 done', '👩‍👩‍👧‍👦 family', 'e\u0301te\u0301', '한국어'];
    const odd = `${'.'.repeat(79)}日本`;
    const since = await waits.cursor(id);
    const during = [...texts, odd].map((text) => waits.wait(id, { until: 'text', text, timeoutMs }));
    await waits.type(id, `${[...texts, odd].join('\\n')}\\n\r`);
    expect((await Promise.all(during)).map(({ match }) => match)).toEqual([...texts, odd]);
    for (const text of [...texts, odd]) {
      for (const more of [{}, { since }]) {
        expect([text, await waits.wait(id, { until: 'text', text, timeoutMs, ...more })]).toMatchObject([
          text,
          found(text),
        ]);
      }
    }
  });

  test.each([
    ['a prompt, with its blank', 'name: ', 'name: '],
    ['a prompt that is drawn', 'x\\033[5;3Hname: ', 'name: '],
    ['a prompt on an alternate screen', '\\033[?1049h\\033[5;3Hname: ', 'name: '],
    ['what is lined up by tabs', 'a\\tb\\n', 'a       b'],
    ['a line that is written over', ' 50%%\\r100%%\\n', '100%'],
    ['a typing mistake, mended', 'needk\\b \\ble', 'needle'],
    ['blanks that nobody wrote', 'nee\\033[3Cdle', 'nee   dle'],
    ['a link', '\\033]8;;http://x\\033\\\\nee\\033]8;;\\033\\\\dle', 'needle'],
  ])('%s: before the call and during it, with a cursor and without', async (_what, printed, text) => {
    const id = await waits.printing();
    const body = { until: 'text', text, timeoutMs };
    const more = { since: await waits.cursor(id) };
    const during = [await waits.begin(id, body), await waits.begin(id, { ...body, ...more })];
    expect(during.map((wait) => wait.isSettled())).toEqual([false, false]);
    await waits.type(id, `${printed}\r`);
    const answers = await Promise.all(during.map(async ({ answer }) => (await answer).body));
    answers.push(await waits.wait(id, body), await waits.wait(id, { ...body, ...more }));
    for (const answer of answers) expect(answer).toMatchObject(found(text));
  });

  test('text that a full-screen program draws piece by piece, while it draws other things', async () => {
    const draw = (at: string, text: string) => `printf '\\033[${at}H${text}'`;
    const script = `stty -echo; printf '\\033[?1049h'; echo ready; read x
      ${draw('22;8', 'dle')}; ${draw('22;5', 'nee')}
      i=0; while :; do printf '\\033[1;1H%d' $((i += 1)); sleep 0.01; done`;
    const id = await waits.open(['sh', '-c', script]);
    await waits.shown(id, 'ready');
    const since = await waits.cursor(id);
    const both = [{}, { since }].map((more) =>
      waits.wait(id, { until: 'text', text: 'needle', timeoutMs, ...more }),
    );
    await waits.type(id, '\r');
    for (const answer of await Promise.all(both)) expect(answer).toMatchObject(found('needle'));
    expect(await waits.wait(id, { until: 'text', text: 'needle', timeoutMs })).toMatchObject(found('needle'));
  });

  test('the screen of less: the visible page, not the next', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'at-wait-'));
    const file = join(folder, 'pages');
    await writeFile(file, `first\n${'hay\n'.repeat(30)}needle\n${'hay\n'.repeat(30)}`);
    const id = await waits.open(['less', file]);
    const at = (text: string, more: object = {}) =>
      waits.wait(id, { until: 'text', text, timeoutMs, ...more });
    expect(await at('first')).toMatchObject(found('first'));
    expect(await at('needle', { timeoutMs: 0 })).toMatchObject(TIMEOUT);
    const wait = await waits.begin(id, { until: 'text', text: 'needle', timeoutMs });
    await waits.type(id, ' ');
    expect((await wait.answer).body).toMatchObject(found('needle'));
    expect(await at('first', { timeoutMs: 0 })).toMatchObject(TIMEOUT);
    await rm(folder, { recursive: true });
  });

  test('a title is no text, and neither is text that only seems adjacent', async () => {
    const id = await waits.printing();
    await waits.type(id, '\\033]0;needle\\007nee\\ndle \\033[31;4Hnee\\033[2Kdle end\r');
    await waits.shown(id, 'end');
    expect(await waits.wait(id, { until: 'text', text: 'needle', timeoutMs: 0 })).toMatchObject(TIMEOUT);
  });

  test('maxBytes keeps the end of the output, from the beginning of a line on', async () => {
    const id = await waits.printing();
    const since = await waits.cursor(id);
    await waits.type(id, 'one\\ntwo\\nthree\\n\r');
    const answer = (maxBytes: number) =>
      waits.wait(id, { until: 'text', text: 'three', since, timeoutMs, maxBytes });
    expect(await answer(9)).toMatchObject({ ...found('three'), raw: 'two\nthree', truncated: true });
    expect(await answer(13)).toMatchObject({ raw: 'one\ntwo\nthree', truncated: false });
    expect(await answer(0)).toMatchObject({ raw: '', truncated: true });
  });
});
