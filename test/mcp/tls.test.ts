// The API behind a proxy that speaks TLS, as on another machine.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { NoServiceError } from '#dist/client/index.js';
import { HttpTransport } from '#dist/client/node/http-transport.js';
import { fails, works } from '../support/every-tool.js';
import { connect, startSidecar } from '../support/mcp.js';
import { tlsProxy } from '../support/tls-proxy.js';
import { useService } from '../support/use-service.js';

const used = useService();

async function clientOf(apiUrl: string, env: Record<string, string> = {}) {
  const sidecar = await startSidecar({ apiUrl, env });
  onTestFinished(() => sidecar.stop());
  return connect(sidecar.url);
}

test('a certificate that Node trusts: the tools work', async () => {
  const { url, certificate } = await tlsProxy(used.service.url);
  const client = await clientOf(url, { NODE_EXTRA_CA_CERTS: certificate });
  const created = await works<{ id: string }>(client, 'create_terminal', { profile: 'bash' });
  await works(client, 'close_terminal', { terminalId: created.structured.id });
});

test('a certificate that Node does not trust, and no TLS at all: nothing was sent', async () => {
  const { url } = await tlsProxy(used.service.url);
  for (const apiUrl of [url, used.service.url.replace('http:', 'https:')]) {
    const text = await fails(await clientOf(apiUrl), 'create_terminal', { profile: 'bash' });
    expect(text).toContain(`does not answer at ${apiUrl}`);
  }
  const { body } = await used.api.get<{ terminals: object[] }>('/api/terminals');
  expect(body.terminals).toEqual([]);
});

test('a connection that is never established ends within its limit', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const url = `https://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const transport = new HttpTransport(() => ({ url }), 50);
  onTestFinished(() => transport.close());
  const sent = transport.send({ method: 'GET', path: '/health', headers: {} });
  await expect(sent).rejects.toThrow(NoServiceError);
  await expect(transport.connect('/api/ws')).rejects.toThrow(NoServiceError);
});
