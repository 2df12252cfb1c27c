import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { BatchAnswer, ExecuteAnswer } from '#dist/contract/execute.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { type Service, startService } from '../support/service.js';

const ROUNDS = Number(process.env.AUTO_TERMINAL_KILLS ?? 3);
/** Time in which all requests of a round finish, in milliseconds. */
const ROUND_MS = 40;

let service: Service;
afterEach(() => service.stop());

const keyed = (key: string) => createApi(service.url, { headers: { 'idempotency-key': key } });

/** A terminal whose program writes its input, byte for byte, into a file of this name. */
async function openTyped(api: Api, home: string, name: string) {
  const file = join(home, name);
  const id = await openTerminal(api, ['sh', '-c', 'stty raw -echo; : > "$0"; exec cat >> "$0"', file]);
  await eventually(`${name} reads`, () => contentOf(file) !== undefined);
  return { id, file };
}

function contentOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').replaceAll(/\x1b\[20[01]~/g, '');
  } catch {
    return undefined;
  }
}

interface Asked {
  path: string;
  body: object;
}

/** Sends each of the requests; the answers of a service that is killed do not matter. */
function sendAll(requests: Record<string, Asked>): void {
  for (const [key, { path, body }] of Object.entries(requests)) {
    fetch(service.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify(body),
    })
      .then((response) => response.text())
      .catch(() => undefined);
  }
}

describe('a service that is killed while requests with keys are in work', () => {
  it('types and creates once, however much it had done, when they are retried', {
    timeout: 300_000 + ROUNDS * 20_000,
  }, async () => {
    service = await startService();
    const { home } = service;
    let api = createApi(service.url);
    const typed = await Promise.all(
      Array.from({ length: 4 }, (_, index) => openTyped(api, home, `typed-${index}`)),
    );
    const [one, two, ...many] = typed;
    const expected = new Map(typed.map(({ file }) => [file, [] as string[]]));
    for (let round = 0; round < ROUNDS; round++) {
      const terminalIds = many.map(({ id }) => id);
      const label = `r${round}`;
      const requests: Record<string, Asked> = {
        [`input ${round}`]: { path: `/api/terminals/${one!.id}/input`, body: { data: `<input ${round}>` } },
        [`execute ${round}`]: {
          path: `/api/terminals/${two!.id}/execute`,
          body: { prompt: `<execute ${round}>`, submissionSignal: ';' },
        },
        [`batch ${round}`]: {
          path: '/api/terminals/batch/input',
          body: { terminalIds, data: `<batch ${round}>` },
        },
        [`create ${round}`]: {
          path: '/api/terminals',
          body: { command: ['cat'], labels: { round: label } },
        },
      };
      sendAll(requests);
      await delay(randomInt(ROUND_MS));
      await service.kill('SIGKILL');
      service = await startService({ home });
      api = createApi(service.url);

      const retry = <Body>(key: string) => {
        const { path, body } = requests[`${key} ${round}`]!;
        return keyed(`${key} ${round}`).post<Body & Failure>(path, body);
      };
      for (let times = 0; times < 2; times++) {
        expect(await retry('input')).toMatchObject({ status: 200, body: { status: 'ok' } });
        expect((await retry<ExecuteAnswer>('execute')).body.cursor).toEqual(expect.any(String));
        expect((await retry<BatchAnswer>('batch')).body.summary).toEqual({
          total: 2,
          succeeded: 2,
          failed: 0,
        });
        const created = await retry<Terminal>('create');
        const listed = await api.get<{ terminals: Terminal[] }>(`/api/terminals?selector=round=${label}`);
        expect(listed.body.terminals.map(({ id }) => id)).toEqual([created.body.id]);
      }
      expected.get(one!.file)!.push(`<input ${round}>`);
      expected.get(two!.file)!.push(`<execute ${round}>;`);
      for (const { file } of many) expected.get(file)!.push(`<batch ${round}>`);
    }
    await api.post('/api/terminals/batch/input', { terminalIds: typed.map(({ id }) => id), data: 'END' });
    for (const { file } of typed) {
      await eventually('all has been read', () => contentOf(file)?.endsWith('END') ?? false);
      expect(contentOf(file)).toBe(`${expected.get(file)!.join('')}END`);
    }
  });
});
