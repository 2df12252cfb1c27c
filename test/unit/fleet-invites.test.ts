import { expect, test } from 'vitest';
import { Invites, type InvitesOptions } from '../../src/fleet/invites.js';
import type { KeptInvite } from '../../src/fleet/state.js';

test('an invitation that the server could not be told of is not kept, and takes no place', async () => {
  let facts = { hub: { isOutside: true, publicKey: '' }, invites: [] as KeptInvite[] };
  let isBroken = true;
  const invites = new Invites({
    state: {
      get facts() {
        return facts;
      },
      change: async (change: (before: typeof facts) => typeof facts) => {
        facts = change(facts);
      },
    },
    url: () => 'nats://127.0.0.1',
    apply: async () => {
      if (isBroken) throw new Error('no nats-server');
    },
    ...{ onEnd: () => {}, onFault: () => {} },
  } as unknown as InvitesOptions);
  await expect(invites.create({ confirmed: false })).rejects.toThrow('no nats-server');
  expect(facts.invites).toEqual([]);
  isBroken = false;
  const { id } = await invites.create({ confirmed: false });
  expect(facts.invites).toMatchObject([{ id }]);
  invites.stop();
});
