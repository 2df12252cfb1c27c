import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService();

const create = async (body: object) => (await used.api.post<{ id: string }>('/api/terminals', body)).body.id;
const statusOf = async (id: string) =>
  (await used.api.get<{ status: string; exitCode?: number }>(`/api/terminals/${id}`)).body;
const isOver = async (id: string) => (await statusOf(id)).status === 'exited';

/** Opens a stream; resolves with the answer once its headers have come. */
async function open(id: string, from: 'start' | 'now', method = 'GET'): Promise<IncomingMessage> {
  const sent = request(`${used.service.url}/api/terminals/${id}/stream?from=${from}`, { method });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return answer;
}

/** All bytes of an answer; throws if it breaks off. */
async function bytesOf(answer: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await answer.toArray());
}

/** A program that prints a file without any change, and what the file holds. */
async function printer(lines: number): Promise<{ command: string[]; bytes: Buffer }> {
  const text = Array.from({ length: lines }, (_, n) => `${n} é€😀 \x1b[3${n % 8}m${'x'.repeat(n % 90)}\r\n`);
  const bytes = Buffer.concat([Buffer.from(text.join('')), Buffer.from([0xff, 0xc3])]);
  const path = join(used.service.home, `print-${lines}`);
  await writeFile(path, bytes);
  return { command: ['sh', '-c', `stty -opost; cat '${path}'; exit 7`], bytes };
}

it('hold: the first reader gets every byte, and the answer ends with the program', async () => {
  const { command, bytes } = await printer(150_000);
  const id = await create({ command, hold: true });
  const answer = await open(id, 'start');
  expect(answer.headers['content-type']).toBe('application/octet-stream');
  expect((await bytesOf(answer)).equals(bytes)).toBe(true);
  expect(await statusOf(id)).toMatchObject({ status: 'exited', exitCode: 7 });
});

it('hold: the program waits for a reader that does not read, and goes on without it', async () => {
  const { command, bytes } = await printer(400_000);
  const id = await create({ command, hold: true });
  const answer = await open(id, 'start');
  // The client reads no more than the first chunk.
  await once(answer, 'readable');
  const seq = async () => (await used.api.get<{ seq: number }>(`/api/terminals/${id}/snapshot`)).body.seq;
  let before = 0;
  await eventually('the program has printed what fits between it and the reader', async () => {
    const earlier = before;
    before = await seq();
    return before > 1e6 && before === earlier;
  });
  expect(await seq()).toBeLessThan(bytes.length);
  expect((await statusOf(id)).status).toBe('running');
  answer.destroy();
  await eventually('the program ends', () => isOver(id));
  expect(await seq()).toBeGreaterThan(bytes.length - 4);
});

it('hold: a HEAD does not take the output from the first reader', async () => {
  const { command, bytes } = await printer(150_000);
  const id = await create({ command, hold: true });
  expect((await open(id, 'start', 'HEAD')).statusCode).toBe(405);
  expect((await bytesOf(await open(id, 'start'))).equals(bytes)).toBe(true);
});

it('from=start: also of a terminal that has exited, as long as its first byte is kept', async () => {
  const short = await printer(500);
  const long = await printer(50_000);
  const [one, other] = [await create({ command: short.command }), await create({ command: long.command })];
  for (const id of [one, other]) await eventually('the program has ended', () => isOver(id));
  expect((await bytesOf(await open(one, 'start'))).equals(short.bytes)).toBe(true);
  expect(await used.api.get(`/api/terminals/${other}/stream?from=start`)).toMatchObject({
    status: 410,
    body: { code: 'output-gone' },
  });
  expect(await bytesOf(await open(other, 'now'))).toHaveLength(0);
});

it('from=now: what is printed after the headers', async () => {
  const id = await create({
    command: ['sh', '-c', 'stty -echo; echo before; while read x; do echo "$x"; done'],
  });
  const shown = async () =>
    (await used.api.get<{ snapshot: string }>(`/api/terminals/${id}/snapshot`)).body.snapshot;
  await eventually('it has printed', async () => (await shown()).includes('before'));
  const answers = await Promise.all([open(id, 'now'), open(id, 'now')]);
  await used.api.post(`/api/terminals/${id}/input`, { data: 'after\r\x04' });
  for (const answer of answers) expect((await bytesOf(answer)).toString()).toBe('after\r\n');
});

it('breaks the connection when the terminal is closed', async () => {
  const id = await create({ command: ['cat'] });
  const answer = await open(id, 'start');
  await used.api.delete(`/api/terminals/${id}`);
  await expect(bytesOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

it('answers 404 for an unknown terminal, and 400 for an unknown beginning', async () => {
  expect(await used.api.get('/api/terminals/term_unknown/stream')).toMatchObject({
    status: 404,
    body: { code: 'terminal-not-found' },
  });
  const id = await create({ command: ['cat'] });
  expect(await used.api.get(`/api/terminals/${id}/stream?from=middle`)).toMatchObject({ status: 400 });
});

it('lets the service stop while a stream is open', async () => {
  const answer = await open(await create({ command: ['cat'] }), 'now');
  const broken = bytesOf(answer).catch((error: NodeJS.ErrnoException) => error.code);
  await used.service.kill('SIGTERM');
  expect(await broken).toBe('ECONNRESET');
});
