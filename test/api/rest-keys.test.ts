import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure, type Watcher, watch } from '../support/http.js';
import { openKeylog } from '../support/keylog.js';
import { eventually } from '../support/processes.js';
import type { Service } from '../support/service.js';
import { sharedService } from '../support/shared-service.js';

let service: Service;
let api: Api;
let watcher: Watcher;

beforeAll(async () => {
  service = await sharedService();
  api = createApi(service.url);
  watcher = await watch(service.url);
});
afterAll(async () => {
  await watcher?.close();
  await service?.stop();
});

const press = (id: string, ...keys: unknown[]) =>
  api.post<Failure & { status: string }>(`/api/terminals/${id}/keys`, { keys });

/** Starts a program and waits until its screen contains the text. */
async function run(command: string[], text: string): Promise<string> {
  const { id } = (await api.post<Terminal>('/api/terminals', { command, index: false })).body;
  await shows(id, text);
  return id;
}

async function shows(id: string, text: string): Promise<void> {
  let content = '';
  await eventually(`the screen shows ${text}`, async () => {
    content = (await api.get<{ content: string }>(`/api/terminals/${id}/capture`)).body.content;
    return content.includes(text);
  }).catch((cause: unknown) => {
    throw new Error(`${id} shows not ${JSON.stringify(text)} but ${JSON.stringify(content)}`, { cause });
  });
}

describe('POST /api/terminals/:id/keys', () => {
  test('types the sequences of the keys, in one write, and answers {status: ok}', async () => {
    const keylog = await openKeylog(api, watcher);
    const { status, body } = await press(keylog.id, 'CTRL+C', 'up', 'Enter', 'f5', 'alt+x', 'é', '+');
    expect([status, body]).toEqual([200, { status: 'ok' }]);
    const typed = Buffer.from('\x03\x1b[A\r\x1b[15~\x1bxé+').toString('latin1');
    await keylog.until('+');
    expect(keylog.reads()).toEqual([typed]);
  });

  test('follows the mode that the program has set', async () => {
    const keylog = await openKeylog(api, watcher);
    await press(keylog.id, 'up', 'home', '1');
    expect(await keylog.until('1')).toBe('\x1b[A\x1b[H1');
    const script = "stty raw -echo; printf '\\033[?1hREADY'; exec od -An -v -tx1 -w1";
    const id = await run(['sh', '-c', script], 'READY');
    await press(id, 'up', 'ctrl+up', 'end', 'f1');
    await watcher.until(() => bytesOf(watcher.output(id)).length === 15);
    expect(Buffer.from(bytesOf(watcher.output(id)).join(''), 'hex').toString()).toBe(
      '\x1bOA\x1b[1;5A\x1bOF\x1bOP',
    );
  });

  test('counts as input of the API', async () => {
    const keylog = await openKeylog(api, watcher);
    await press(keylog.id, 'x');
    await keylog.until('x');
    const { body } = await api.get<{ processes: { id: string; lastInputSource: string }[] }>(
      '/api/processes',
    );
    expect(body.processes.find(({ id }) => id === keylog.id)?.lastInputSource).toBe('api');
  });

  test.each([
    ['no keys', {}, /^keys: /],
    ['an empty list', { keys: [] }, /^keys: /],
    ['a text', { keys: 'enter' }, /^keys: /],
    ['a number', { keys: [5] }, /^keys\[0\]: /],
    ['1,001 keys', { keys: Array.from({ length: 1_001 }, () => 'x') }, /^keys: /],
    [
      'an unknown name',
      { keys: ['enter', 'entr'] },
      /^Unknown key: "entr"\. Valid keys: .*enter, return, tab/,
    ],
    ['an unknown name with modifiers', { keys: ['ctrl+alt+nope'] }, /^Unknown key: "ctrl\+alt\+nope"/],
  ])('%s: a 400, whatever the terminal', async (_what, body, message) => {
    const { status, body: answer } = await api.post<Failure>('/api/terminals/gone/keys', body);
    expect([status, answer.error]).toEqual([400, expect.stringMatching(message)]);
  });

  test('an unknown terminal is a 404, and so is an exited one', async () => {
    const { id } = (await api.post<Terminal>('/api/terminals', { command: ['true'] })).body;
    await eventually('it has exited', async () => {
      return (await api.get<Terminal>(`/api/terminals/${id}`)).body.status === 'exited';
    });
    for (const each of ['gone', id]) {
      for (const key of ['x', 'up']) {
        const { status, body } = await press(each, key);
        expect([status, body]).toEqual([404, failed('Terminal not found')]);
      }
    }
  });
});

/** The bytes that `od -w1` has printed, as hex. */
function bytesOf(output: string): string[] {
  return [...output.matchAll(/ ([0-9a-f]{2})\b/g)].map(([, hex]) => hex!);
}

describe('real programs understand the keys', () => {
  test('vim: modifiers, function keys and the application cursor mode', async () => {
    const keys = ['Up', 'S-Up', 'C-Right', 'Home', 'Del', 'S-Tab', 'F1', 'F5', 'F12', 'C-F6'];
    const maps = keys.flatMap((key) => ['--cmd', `inoremap <${key}> {${key.toLowerCase()}}`]);
    // The test waits for `~`: vim does not draw its mode while an answer of the terminal is unread.
    const id = await run(['vim', '-u', 'NONE', '-i', 'NONE', '-N', ...maps, '-c', 'startinsert'], '~');
    await press(
      id,
      'up',
      'shift+up',
      'ctrl+right',
      'home',
      'delete',
      'shift+tab',
      'f1',
      'f5',
      'f12',
      'ctrl+f6',
    );
    await press(id, 'ctrl+v', ...'u263a', 'escape');
    await shows(id, '{up}{s-up}{c-right}{home}{del}{s-tab}{f1}{f5}{f12}{c-f6}☺');
  });

  test('readline: editing a line', async () => {
    const id = await run(['bash', '--norc', '--noprofile', '-i'], 'bash-');
    await press(id, ...'echo x wrd', 'left', 'o', 'left', 'ctrl+a', 'alt+f', 'alt+d', 'end', 'left', 'left');
    await press(id, 'right', 'l', 'end', '!', 'backspace', '?', 'enter');
    await shows(id, '\nwrold?');
  });

  test('less: paging through a file', async () => {
    const lines = `seq 1000 | less`;
    const id = await run(['sh', '-c', lines], '\n22');
    await press(id, 'pagedown', 'down', 'G', 'home', 'end', 'up');
    await shows(id, '\n999');
    await press(id, 'home');
    await shows(id, '1\n2\n3\n');
  });
});
