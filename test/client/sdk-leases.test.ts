import { expect, test } from 'vitest';
import { ConflictError } from '#dist/client/index.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { useService } from '../support/use-service.js';

const used = useService();
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
