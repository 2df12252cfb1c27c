// Terminals that are closed while logs asks for the output of each.
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
const { run, out, create } = verbsAt(() => used.service.home);

/** Starts a proxy to the service that closes a terminal before it passes on a request for its output. */
async function closingProxy(id: string): Promise<string> {
  const proxy = createServer(async ({ method, headers, url = '' }, response) => {
    if (url.startsWith(`/api/terminals/${id}/output`)) await used.api.delete(`/api/terminals/${id}`);
    const { origin, host } = new URL(used.service.url);
    const onward = httpRequest(origin + url, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.end();
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void proxy.close());
  await new Promise((resolve) => proxy.once('listening', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('the others are printed, and a line says which has gone', async () => {
  const gone = await create('-n', 'gone', '-l', 'role=gone', '--', 'cat');
  const stays = await create('-n', 'stays', '-l', 'role=gone', '--', 'sh', '-c', 'echo printed; cat');
  await out('wait', stays, '-u', 'text', '--text', 'printed');
  const printed = await run('logs', '-l', 'role=gone', '--url', await closingProxy(gone));
  expect(printed).toEqual({
    code: 0,
    stdout: 'stays | printed\n',
    stderr: `auto-terminal: ${gone} has gone\n`,
  });
  await out('close', stays);
});
