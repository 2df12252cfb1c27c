// A client that waits for a tool gets an error at once when the tool server stops, not after its timeout.
import { expect, onTestFinished, test } from 'vitest';
import { patch } from '../support/exposed.js';
import { guard } from '../support/guarded.js';
import { createApi } from '../support/http.js';
import { call, connect, startSidecar } from '../support/mcp.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

const COMMAND = 'sleep 600';

/** A service of its own, which the test may end. */
async function start(mcp: boolean): Promise<Service> {
  const service = await startService({ mcp });
  onTestFinished(() => service.stop());
  return service;
}

/** A call that goes on until something ends it. */
async function callThatGoesOn(service: Service, mcpUrl: string) {
  const client = await connect(mcpUrl);
  const api = createApi(service.url);
  const { body } = await api.post<{ id: string }>('/api/terminals', { profile: 'bash' });
  const args = { terminalId: body.id, command: COMMAND, wait: true, timeoutMs: 600_000 };
  const answer = call(client, 'execute_command', args, { timeout: 50_000 });
  // The test checks later whether it fails.
  answer.catch(() => undefined);
  await eventually('the command runs', async () => {
    const { body: output } = await api.get<{ raw: string }>(`/api/terminals/${body.id}/output`);
    return output.raw.includes(COMMAND);
  });
  return { client, answer };
}

test('the tool server is stopped: the call says that it may have taken effect', async () => {
  const service = await start(false);
  const sidecar = await startSidecar({ apiUrl: service.url });
  const { answer } = await callThatGoesOn(service, sidecar.url);
  expect(await sidecar.kill('SIGTERM')).toBe(0);
  expect(await answer).toMatchObject({
    ...{ isError: true, text: expect.stringMatching(/^The tool server has been stopped\. .*list_terminals/) },
  });
});

test('many calls at once all get the error', async () => {
  const service = await start(false);
  const sidecar = await startSidecar({ apiUrl: service.url });
  const calls = await Promise.all(Array.from({ length: 10 }, () => callThatGoesOn(service, sidecar.url)));
  expect(await sidecar.kill('SIGINT')).toBe(0);
  const texts = await Promise.all(calls.map(({ answer }) => answer.then(({ text }) => text)));
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toContain('has been stopped');
});

test('the tool server is turned off by a setting: the call says so', async () => {
  const service = await start(true);
  const { answer } = await callThatGoesOn(service, service.mcpUrl!);
  expect((await patch(service.url, { mcp: { enabled: false } })).status).toBe(200);
  expect(await answer).toMatchObject({
    ...{ isError: true, text: expect.stringContaining('The tool server has been stopped') },
  });
});

test('a call by a token of guarded mode says so, too', async () => {
  const service = await start(true);
  const guarded = await guard(service);
  const { token } = await guarded.make(['read', 'run']);
  const client = await connect(service.mcpUrl!, { headers: { authorization: `Bearer ${token}` } });
  const terminalId = await guarded.open();
  const args = { terminalId, command: COMMAND, wait: true, timeoutMs: 600_000 };
  const answer = call(client, 'execute_command', args, { timeout: 50_000 });
  answer.catch(() => undefined);
  await eventually('the call waits', async () => {
    const { body } = await guarded.send(guarded.own, 'GET', '/api/runs');
    return body.runs.length > 0;
  });
  const off = await guarded.send(guarded.own, 'PATCH', '/api/settings', { mcp: { enabled: false } });
  expect(off.status).toBe(200);
  expect(await answer).toMatchObject({
    ...{ isError: true, text: expect.stringContaining('The tool server has been stopped') },
  });
});

test('the service is stopped: the call says so', async () => {
  const service = await start(true);
  const { answer } = await callThatGoesOn(service, service.mcpUrl!);
  await service.kill('SIGTERM');
  const { isError, text } = await answer;
  expect(isError).toBe(true);
  expect(text).toMatch(/shutting down|was lost|has been stopped/);
});

test('the service is killed under a tool server that runs alone: the call says so, the next one works', async () => {
  const service = await start(false);
  const sidecar = await startSidecar({ apiUrl: service.url });
  onTestFinished(() => sidecar.stop());
  const { client, answer } = await callThatGoesOn(service, sidecar.url);
  await service.kill('SIGKILL');
  expect(await answer).toMatchObject({
    isError: true,
    text: expect.stringMatching(/was lost.*is unknown whether/),
  });
  const idle = await call(client, 'list_terminals');
  expect(idle).toMatchObject({ isError: true, text: expect.stringContaining('does not answer at') });

  const args = ['--port', new URL(service.url).port];
  const again = await startService({ home: service.home, args });
  onTestFinished(() => again.stop());
  expect(await call(client, 'list_terminals')).toMatchObject({ isError: false });
});

test('a hangup does not end a tool server without a terminal, as under nohup', async () => {
  const sidecar = await startSidecar();
  onTestFinished(() => sidecar.stop());
  process.kill(sidecar.pid, 'SIGHUP');
  await eventually('it says so', () => sidecar.log().includes('served on'));
  expect(await (await connect(sidecar.url)).listTools()).toHaveProperty('tools');
});
