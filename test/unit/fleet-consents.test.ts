import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { FLEET_CONSENT_MS } from '../../src/contract/limits.js';
import { Consents } from '../../src/fleet/consents.js';
import { FleetEvents } from '../../src/fleet/fleet-events.js';
import type { PinnedGrant } from '../../src/fleet/rights.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const events = new FleetEvents();
const approved: string[] = [];
const consents = new Consents({
  events,
  deviceNameOf: (id) => `name of ${id}`,
  labelsOf: () => ({}),
  approved: async (ids) => void approved.push(...ids),
});
const grant = (id: string, parts: Partial<PinnedGrant>): PinnedGrant => ({
  ...{ id, to: 'm_1', can: ['type'], terminals: '*', until: null, createdAt: 0, publicKey: 'k' },
  ...{ ask: 'first', approved: false },
  ...parts,
});
const wanted = {
  peer: { machineId: 'm_1', publicKey: 'k' },
  ...{ method: 'POST', url: '/api/terminals/x/input?a=b', body: { data: 'y'.repeat(5_000) } },
  need: { rights: ['type' as const], reach: ['x'] },
  grants: [
    grant('a', {}),
    grant('b', { terminals: ['z'] }),
    grant('c', { ask: 'always' }),
    grant('d', { can: ['close'] }),
  ],
};

it('is denied once the time is over, and shows the beginning of a long text', async () => {
  const asked = consents.ask(wanted, new AbortController().signal);
  const denied = expect(asked).rejects.toMatchObject({ code: 'not-granted' });
  const text = `${'y'.repeat(1_000)}… (and 4000 more characters)`;
  expect(consents.list()).toMatchObject([{ action: 'POST /api/terminals/x/input', text }]);
  await vi.advanceTimersByTimeAsync(FLEET_CONSENT_MS - 1);
  expect(consents.list()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  await denied;
  expect(consents.list()).toEqual([]);
  expect(approved).toEqual([]);
});

it('notes the grants behind it that ask the first time, and no others', async () => {
  const asked = consents.ask(wanted, new AbortController().signal);
  const [request] = consents.list();
  expect(consents.decide(request?.id ?? '', 'approved')).toEqual(request);
  expect(() => consents.decide('use_0', 'approved')).toThrow('it was answered, or has ended');
  // A machine that asks to join.
  expect(consents.decide('join_0', 'approved')).toBeUndefined();
  await asked;
  expect(approved).toEqual(['a']);
});
