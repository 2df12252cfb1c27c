import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { useOuters } from '../support/attach-rig.js';
import { CLI } from '../support/cli.js';
import { environmentFor, verbsAt } from '../support/command.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, create } = verbsAt(() => used.service.home);
const begun = (...args: string[]) =>
  spawn(process.execPath, [CLI, ...args], { env: environmentFor(used.service.home) });

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Starts a proxy to the service that holds the creation of a terminal. */
async function holdingProxy() {
  const [asked, go] = [withResolvers(), withResolvers()];
  const proxy = createServer(async (request, response) => {
    const { method = '', headers, url = '' } = request;
    const body = await text(request);
    if (method === 'POST' && url === '/api/terminals') {
      asked.resolve();
      await go.promise;
    }
    const { origin, host } = new URL(used.service.url);
    const onward = httpRequest(origin + url, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on('error', () => response.destroy()).pipe(response);
    });
    onward.end(body);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { url, asked: asked.promise, go: go.resolve, close: () => proxy.close() };
}

test.each([
  ['SIGINT', [130, null]],
  ['SIGTERM', [null, 'SIGTERM']],
] as const)('%s while run creates its terminal leaves no program behind', async (signal, end) => {
  const proxy = await holdingProxy();
  const child = begun('run', '--url', proxy.url, '--', 'cat');
  await proxy.asked;
  const ended = once(child, 'exit');
  child.kill(signal);
  proxy.go();
  expect(await ended).toEqual(end);
  expect(await out('ls', '-q')).toBe('');
  proxy.close();
});

test('exec types nothing after Ctrl+C where its command still waits, and says so', async () => {
  const id = await create();
  await out('exec', '-d', id, '--', 'read line');
  const [begins, next] = ['waits', 'next'].map((name) => join(used.service.home, name));
  const child = begun('exec', id, '--', `: > ${begins}`);
  const said = text(child.stderr);
  await eventually('both runs go on', async () => {
    const { body } = await used.api.get<{ runs: { state: string }[] }>('/api/runs');
    return body.runs.filter(({ state }) => state === 'running').length === 2;
  });
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([130, null]);
  expect(await said).toBe('auto-terminal: the command still waited for the shell, and is not typed\n');
  await run('send', id, '--enter', 'x');
  expect(await run('exec', id, '--', `: > ${next}`)).toMatchObject({ code: 0 });
  expect([begins, next].map((file) => existsSync(file!))).toEqual([false, true]);
  await out('close', id);
});

test('a time may have a fraction, and is at most an hour', async () => {
  const id = await create();
  const never = ['-u', 'text', '--text', 'never printed', id];
  expect(await run('wait', '-t', '0.29', ...never)).toMatchObject({ code: 124 });
  expect(await run('exec', '-t', '16.1', id, '--', 'true')).toMatchObject({ code: 0 });
  for (const args of [
    ['wait', '-t', '3601', ...never],
    ['exec', '-t', '7200', id, '--', 'true'],
  ])
    expect(await run(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('at most 3600') });
  await out('close', id);
});

test('send --enter without a text presses Enter alone, and leaves standard input to others', async () => {
  const id = await create();
  const script = `printf 'a\\nb\\n' | { "$0" "$1" send ${id} --enter; cat; }`;
  const { stdout } = await promisify(execFile)('sh', ['-c', script, process.execPath, CLI], {
    env: environmentFor(used.service.home),
  });
  expect(stdout).toBe('a\nb\n');
  await out('close', id);
});

test('a token that is refused leaves no file behind, so that the next try can write it', async () => {
  const args = ['token', 'create', '-n', 'x', '--file', join(used.service.home, 'refused'), '--verbs'];
  expect((await run(...args, 'raed')).code).not.toBe(0);
  expect(await run(...args, 'read')).toMatchObject({ code: 0 });
});

describe('a verb that reads standard input from a terminal', () => {
  const openOuter = useOuters();

  test.each([
    ['send', 'demo'],
    ['prompt', 'demo'],
    ['prompts', 'add', 'demo', '-'],
    ['logs', '-'],
    ['layout', 'apply', '-'],
  ])('says so, and ends by Ctrl+C: %s %s', async (...args) => {
    await create('-n', 'demo', '--', 'cat');
    const outer = openOuter();
    outer.command(used.service.home, args);
    await outer.shows('Ctrl+D');
    outer.type('\x03');
    await outer.shows('code 130');
    await out('close', 'demo');
  });
});
