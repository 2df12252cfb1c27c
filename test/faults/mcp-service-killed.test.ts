import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApi } from '../support/http.js';
import { call, connect, type Sidecar, startSidecar } from '../support/mcp.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let sidecar: Sidecar;
beforeEach(async () => {
  service = await startService();
  sidecar = await startSidecar({ apiUrl: service.url });
});
afterEach(async () => {
  await sidecar.stop();
  await service.stop();
});

/** Starts the killed service again at the same address. */
async function startAgain(): Promise<void> {
  service = await startService({ home: service.home, args: ['--port', new URL(service.url).port] });
}

/** A call that waits for a command which does not end, and the terminal that it runs in. */
async function callInFlight(client: Client) {
  const { structured } = await call<{ id: string }>(client, 'create_terminal', { profile: 'bash' });
  const { id } = structured;
  const args = { terminalId: id, command: 'sleep 1000', wait: true };
  const inFlight = call(client, 'execute_command', args);
  const api = createApi(service.url);
  await eventually('it runs', async () => {
    const { body } = await api.get<{ commands: object[] }>(`/api/terminals/${id}/commands`);
    return body.commands.length === 1;
  });
  return { id, inFlight };
}

describe('the service is killed and started again under its tool server', () => {
  it('a call in progress gets an error with the reason, and the next call works', async () => {
    const client = await connect(sidecar.url);
    const { id, inFlight } = await callInFlight(client);
    await service.kill('SIGKILL');
    const failed = await inFlight;
    expect(failed).toMatchObject({ isError: true, text: expect.stringContaining('was lost') });
    expect(failed.text).toContain(service.url);
    expect(failed.text).not.toMatch(/\bat .*\.js|ECONN|undici/);

    const unreachable = await call(client, 'list_terminals');
    expect(unreachable).toMatchObject({ isError: true, text: expect.stringContaining('does not answer') });

    await startAgain();
    const listed = await call<{ terminals: { id: string }[] }>(client, 'list_terminals');
    expect(listed.isError).toBe(false);
    // The terminal has lived on.
    expect(listed.structured.terminals).toMatchObject([{ id: id }]);
  });

  it('an orderly stop fails a call in progress with a reason, too', async () => {
    const client = await connect(sidecar.url);
    const { inFlight } = await callInFlight(client);
    await service.kill('SIGTERM');
    expect(await inFlight).toMatchObject({ isError: true, text: expect.stringContaining('shutting down') });
    await startAgain();
    expect((await call(client, 'list_terminals')).isError).toBe(false);
  });

  it('many clients find it again at once', async () => {
    const clients = await Promise.all(Array.from({ length: 20 }, () => connect(sidecar.url)));
    await Promise.all(clients.map((client) => call(client, 'list_terminals')));
    await service.kill('SIGKILL');
    await startAgain();
    const answers = await Promise.all(clients.map((client) => call(client, 'list_terminals')));
    expect(answers.map(({ isError }) => isError)).toEqual(Array(20).fill(false));
  });
});
