import { expect, test } from 'vitest';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
closeAfterEach();

test('an attachment that is detached before it has a connection leaves no client', async () => {
  const client = connectTo(ofHome(used.service.home));
  const terminal = await client.terminals.create({ command: ['cat'], cols: 80, rows: 24 });
  const attachment = terminal.attach({ cols: 100, rows: 30 });
  const told: string[] = [];
  const reading = (async () => {
    for await (const event of attachment) told.push(event.type);
  })();
  await attachment.detach();
  await reading;
  expect(told).toEqual([]);
  // A client that follows in the same way has been seen by the service once it has its screen.
  const next = terminal.attach({ cols: 90, rows: 20 });
  for await (const event of next) if (event.type === 'reset') break;
  await expect.poll(() => terminal.clients()).toEqual([]);
});

test('a loop that ends while much is unread ends its connection', async () => {
  const client = connectTo(ofHome(used.service.home));
  const flood = await client.terminals.create({
    command: ['sh', '-c', 'read x; exec yes "$(seq -s" " 200)"'],
  });
  const clients = async () => /^auto_terminal_websocket_clients (\d+)$/m.exec(await client.metrics())?.[1];
  const dropped = async () =>
    Number(/^auto_terminal_websocket_frames_dropped_total (\d+)$/m.exec(await client.metrics())?.[1]);
  for await (const _ of client.watch({ terminals: [flood.id] })) {
    await flood.type('\r');
    // The service drops frames once neither it nor the client keeps more of them.
    await expect.poll(dropped).toBeGreaterThan(0);
    break;
  }
  await flood.close();
  await expect.poll(clients).toBe('0');
});
