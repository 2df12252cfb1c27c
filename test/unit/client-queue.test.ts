import { expect, it } from 'vitest';
import { ClientQueue } from '../../src/gateway/ws/client-queue.js';

it('counts what each message takes beside its bytes while it waits, and only its bytes as sent', () => {
  const network: Array<() => void> = [];
  let overflows = 0;
  const queue = new ClientQueue({
    send: (_message, done) => {
      network.push(done);
    },
    maxBytes: 1_000,
    reservedBytes: 0,
    drainedBytes: 0,
    messageBytes: 100,
    onDrained: () => expect.unreachable(),
    onOverflow: () => {
      overflows++;
    },
  });
  for (let count = 0; count < 8; count++) queue.push('12345');
  queue.hold('12345');
  expect(queue.queued).toBe(840);
  queue.push('12345');
  expect(overflows).toBe(1);
  queue.release('12345');
  queue.push('12345');
  expect(overflows).toBe(1);
  for (const done of network) done();
  expect(queue).toMatchObject({ queued: 0, sent: 45, messages: 9 });
});
