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
