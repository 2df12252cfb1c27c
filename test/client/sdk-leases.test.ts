import { expect, test } from 'vitest';
import { ConflictError } from '#dist/client/index.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
closeAfterEach();

test('a client takes a lease, under which alone programs type, and gives it back', async () => {
  const client = connectTo(ofHome(used.service.home));
  const terminal = await client.terminals.create({ command: ['cat'] });
  const lease = await terminal.lease({ ttlMs: 60_000, reason: 'sdk' });
  await expect(terminal.type('no')).rejects.toMatchObject({
    ...{ name: 'ConflictError', status: 423, code: 'locked' },
    details: { holder: { kind: 'service' }, draft: false },
  });
  await expect(terminal.lease({ waitMs: 1 })).rejects.toThrow(ConflictError);
  await terminal.type('yes\r', { lease: lease.leaseId });
  await terminal.waitFor({ until: 'text', text: 'yes' });
  const before = lease.expiresAt;
  await lease.renew(600_000);
  expect(lease.expiresAt).toBeGreaterThan(before);
  expect(await terminal.leases.state()).toMatchObject({ fence: lease.fence, reason: 'sdk', queue: [] });
  const { results } = await client.select([terminal.id]).type('no', { whenBusy: 'refuse' });
  expect(results).toMatchObject([{ success: false, code: 'locked' }]);
  await lease.end();
  await expect(lease.end()).rejects.toMatchObject({ code: 'lease-lost' });
  await terminal.keys(['enter'], { whenBusy: 'queue' });
  expect((await terminal.output()).raw).not.toContain('no');
});

test('a lease that is held ends with its client, and gives back what waited for it', async () => {
  const holder = connectTo(ofHome(used.service.home));
  const other = connectTo(ofHome(used.service.home));
  const { id } = await holder.terminals.create({ command: ['cat'] });
  const terminal = other.terminals.get(id);
  const lease = await holder.terminals.get(id).leases.hold({ ttlMs: 600_000, reason: 'held' });
  await expect(terminal.leases.hold()).rejects.toMatchObject({ name: 'ConflictError', code: 'locked' });
  await terminal.type('yes', { lease: lease.leaseId });
  const { expiresAt } = lease;
  await lease.renew(300_000);
  expect(lease.expiresAt).toBeLessThan(expiresAt);
  const waiting = terminal.leases.hold({ waitMs: 60_000 });
  await expect.poll(async () => (await terminal.leases.state()).queued).toBe(1);
  holder.close();
  const next = await waiting;
  expect(next.fence).toBe(lease.fence + 1);
  await expect(lease.renew()).rejects.toMatchObject({ name: 'DisconnectedError' });
  await next.end();
  expect((await terminal.leases.state()).holder).toBeNull();
  await expect(next.end()).rejects.toMatchObject({ name: 'DisconnectedError' });
});
