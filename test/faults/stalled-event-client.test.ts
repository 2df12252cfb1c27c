import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { EventStream } from '../support/event-client.js';
import { COUNTED, heldBytes } from '../support/held-memory.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService({ env: { NODE_OPTIONS: COUNTED } });
  api = createApi(service.url, { unchecked: true });
});
afterAll(() => service.stop());

const CLIENTS = 20;
/** Long labels make events of 16 KiB, so that they fill every buffer between the service and a client. */
const LABELS = Object.fromEntries(
  Array.from({ length: 64 }, (_, index) => [`label-${index}`, 'x'.repeat(256)]),
);
const CHANGES = 600;

/** Changes a terminal, and resolves once a client that reads has got all of the changes. */
async function changeOften(id: string): Promise<void> {
  const reader = await EventStream.open(service.url, { query: `terminals=${id}` });
  for (let change = 1; change <= CHANGES; change++)
    await api.patch(`/api/terminals/${id}`, { name: `change ${change}` });
  const name = `change ${CHANGES}`;
  await reader.until(() => reader.events.at(-1)?.data.data?.name === name);
  const names = reader.of('terminal.updated').map(({ data }) => data.data.name);
  expect(names).toEqual(Array.from({ length: CHANGES }, (_, index) => `change ${index + 1}`));
  await reader.cut();
}

/** A client that asks for all events and reads nothing of the answer. */
async function stalledClient(): Promise<Socket> {
  const { hostname, port, host } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  socket.write(`GET /api/events HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  return socket;
}

/** Reads on to the end of the stream, and returns the last id. */
async function readToEnd(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const closed = once(socket, 'close');
  socket.resume();
  await closed;
  // The chunks' heads may cut a frame anywhere, so they are removed.
  const ids = [...text.replace(/\r\n[0-9a-f]+\r\n/g, '').matchAll(/^id: (\S+)$/gm)].map(([, id]) => id);
  return ids.at(-1) ?? '';
}

describe('event clients that never read', () => {
  it('cost a bounded memory, delay no other client, and leave nothing behind', async () => {
    const { status, body } = await api.post<Terminal>('/api/terminals', { command: ['cat'], labels: LABELS });
    expect(status).toBe(200);
    // The log is full after these changes, and does not grow any more.
    for (let round = 0; round < 3; round++) await changeOften(body.id);
    const alone = await heldBytes(service);
    const clients = await Promise.all(Array.from({ length: CLIENTS }, stalledClient));
    await changeOften(body.id);
    // On a busy machine, events may still be on their way to the disk.
    await eventually('what is held for the clients is little', async () => {
      return (await heldBytes(service)) - alone < CLIENTS * 256 * 1024;
    });
    const [late, ...others] = clients;
    for (const client of others) client.destroy();
    await changeOften(body.id);
    // The events that the client missed are no longer kept: it gets the events on their way, and then the stream ends.
    const missing = await readToEnd(late!);
    const resumed = await EventStream.open(service.url, { lastEventId: missing });
    await resumed.first('resync');
    await resumed.cut();
    await eventually('nothing is left', async () => (await heldBytes(service)) - alone < 1024 * 1024);
  });
});
