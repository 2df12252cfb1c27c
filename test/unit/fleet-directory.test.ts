import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { FLEET_CLOSED_MS } from '../../src/contract/limits.js';
import { Directory } from '../../src/fleet/directory.js';
import type { Entry } from '../../src/fleet/entry.js';
import { FleetEvents } from '../../src/fleet/fleet-events.js';
import { identityOf } from '../../src/fleet/identity.js';
import type { FleetLink } from '../../src/fleet/link.js';
import { nkeyOf } from '../../src/fleet/nkey.js';
import type { FleetFacts, FleetState, KnownMachine } from '../../src/fleet/state.js';
import { PlainStatements } from '../../src/fleet/statements.js';

const identities = ['hub', 'me', 'other'].map((name) => identityOf(Buffer.from(name), 'x'));
const [hub, me, other] = identities as [Identity, Identity, Identity];
type Identity = (typeof identities)[number];

const known = ({ machineId, publicKey }: Identity, fields: Partial<KnownMachine> = {}): KnownMachine => ({
  ...{ machineId, publicKey, deviceName: machineId, os: 'linux', version: '1', lastSeenAt: null, ...fields },
});
const entry = (identity: Identity, fields: Partial<Entry> = {}): Entry => ({
  ...{ ...known(identity), epoch: 'e', link: 1, terminals: 0, protocols: { min: 1, max: 1 } },
  ...{ online: true, lastSeenAt: 1, ...fields },
});
const about = ({ machineId, publicKey }: Identity) => ({
  ...{ machineId, publicKey, epoch: 'e', link: 1, deviceName: 'x', os: 'linux' as const },
  ...{ version: '1', terminals: 0, protocols: { min: 1, max: 1 } },
});
const bytes = (changes: object) =>
  Buffer.from(JSON.stringify({ isWhole: false, machines: [], removed: [], ...changes }));

/** Milliseconds of the clock of the process, which only tests move. */
let clock = 0;
let stop = () => {};
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => clock));
afterEach(() => {
  stop();
  vi.restoreAllMocks();
});

/** The directory of a hub; `published` resolves with what it tells all next, and `faults` has what was reported. */
function hubOf(machines: KnownMachine[], change = async () => {}) {
  const faults: unknown[] = [];
  const facts = { role: 'hub', hub: known(hub), machines, grants: [] } as unknown as FleetFacts;
  let tell = (_told: unknown) => {};
  const link = {
    state: 'connecting',
    publish: (_subject: string, [said]: Uint8Array[]) => tell(JSON.parse(Buffer.from(said!).toString())),
  } as unknown as FleetLink;
  const directory = new Directory({
    ...{ events: new FleetEvents(), me: () => about(hub), onHeard: () => {}, onRemoved: () => {} },
    ...{ onLost: () => {}, onFault: (error) => void faults.push(error) },
    state: { facts, change } as unknown as FleetState,
  });
  directory.start(link, new PlainStatements());
  stop = () => directory.stop();
  const published = () =>
    new Promise((resolve) => {
      tell = resolve;
    });
  return { directory, published, faults };
}

/** The directory of a machine that has given grants to the hub and to another machine. */
function member(machines: KnownMachine[] = [known(hub), known(other)]) {
  const given = [hub, other].map(({ machineId: to }) => ({ to }));
  const state = {
    facts: { role: 'member', hub: known(hub), machines, grants: given } as unknown as FleetFacts,
  };
  const whole: { answer?: object } = {};
  let questions = 0;
  const inboxes: (string | undefined)[] = [];
  const link = {
    state: 'connected',
    publish: () => {},
    request: async (...[, , , inbox]: Parameters<FleetLink['request']>) => {
      questions++;
      inboxes.push(inbox);
      return whole.answer
        ? { kind: 'reply', data: bytes({ isWhole: true, ...whole.answer }) }
        : { kind: 'nobody' };
    },
  } as unknown as FleetLink;
  const events = new FleetEvents();
  const seen: string[] = [];
  events.subscribe(({ type, data }) => seen.push(`${type} ${data.machineId === other.machineId}`));
  const lost: string[] = [];
  const directory = new Directory({
    ...{ events, me: () => about(me), onHeard: () => {}, onRemoved: () => {}, onFault: () => {} },
    onLost: (machineId) => void lost.push(machineId),
    state: {
      get facts() {
        return state.facts;
      },
      change: async (change: (facts: FleetFacts) => FleetFacts) => {
        state.facts = change(state.facts);
      },
    } as unknown as FleetState,
  });
  directory.start(link, new PlainStatements());
  stop = () => directory.stop();
  return {
    ...{ directory, whole, seen, lost, inboxes, questions: () => questions },
    grants: () => state.facts.grants.map(({ to }) => to),
    machines: () => state.facts.machines.map(({ machineId }) => machineId),
  };
}

const both = [hub.machineId, other.machineId];

test('a machine whose connection has ended is offline in time, although timers may fire a millisecond early', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  clock = 0;
  const { directory, published } = hubOf([known(other)]);
  const { machineId, publicKey } = other;
  directory.onHeartbeat(machineId, Buffer.from(JSON.stringify(about(other))));
  const told = published();
  clock = 0.9;
  directory.onClosed(nkeyOf(publicKey), undefined);
  vi.advanceTimersByTime(FLEET_CLOSED_MS);
  clock = FLEET_CLOSED_MS + 1;
  vi.advanceTimersByTime(1);
  expect(directory.get(machineId)).toMatchObject({ online: false });
  expect(await told).toMatchObject({ machines: [{ machineId, online: false }] });
});

test('the grants of a machine go once the hub has said that it was removed', async () => {
  const { directory, grants } = member();
  await directory.onChanges(bytes({ removed: [other.machineId] }));
  expect(grants()).toEqual([hub.machineId]);
});

test('the grants of a machine that was removed meanwhile go with the next directory', async () => {
  const { directory, whole, grants } = member();
  whole.answer = { machines: [entry(hub)] };
  await directory.onState(true);
  expect(grants()).toEqual([hub.machineId]);
});

test('the grants of a machine that was removed, and has joined again meanwhile, go', async () => {
  const { directory, whole, grants } = member([known(hub), known(other, { joinedAt: 1 })]);
  whole.answer = { machines: [entry(hub), entry(other, { joinedAt: 2 })] };
  await directory.onState(true);
  expect(grants()).toEqual([hub.machineId]);
  expect(directory.get(other.machineId)).toMatchObject({ online: true, joinedAt: 2 });
});

test('grants stay while the hub is away, and if the hub is of a release that does not tell when machines joined', async () => {
  const { directory, whole, grants, machines } = member([known(hub), known(other, { joinedAt: 1 })]);
  await directory.onState(true);
  await directory.onChanges(bytes({ machines: [entry(hub)] }));
  await directory.onState(false);
  whole.answer = { machines: [entry(hub), entry(other)] };
  await directory.onState(true);
  directory.stop();
  expect([grants(), machines()]).toEqual([both, both]);
});

test('grants stay when the fleet ends, or the machine itself was removed', async () => {
  const { directory, grants } = member();
  await directory.onChanges(bytes({ isWhole: true, removed: [me.machineId, other.machineId] }));
  expect(grants()).toEqual(both);
});

test('a machine that has left the fleet does not count as removed from it', async () => {
  const { directory } = member();
  await directory.onChanges(bytes({ removed: [me.machineId] }));
  expect(directory.isRemoved).toBe(true);
  directory.stop();
  expect(directory.isRemoved).toBe(false);
});

test('the directory is taken anew once the service of the hub has begun anew: a removal may have been missed', async () => {
  const { directory, whole, questions } = member();
  whole.answer = { machines: [entry(hub), entry(other)] };
  await directory.onState(true);
  await directory.onChanges(bytes({ machines: [entry(hub, { terminals: 1 })] }));
  expect(questions()).toBe(1);
  whole.answer = { machines: [entry(hub, { epoch: 'next' })] };
  clock += 1_000;
  await directory.onChanges(bytes({ machines: [entry(hub, { epoch: 'next' })] }));
  expect(questions()).toBe(2);
  expect(directory.list().map(({ machineId }) => machineId)).toEqual([hub.machineId]);
  clock += 1_000;
  await directory.onChanges(bytes({ machines: [entry(hub, { epoch: 'next' })] }));
  expect(questions()).toBe(2);
});

test('each question has an inbox that no other machine can guess: on the server of a hub the reply has no proof', async () => {
  const { directory, inboxes } = member();
  for (let times = 0; times < 2; times++) await directory.onState(true);
  for (const inbox of inboxes) expect(inbox).toMatch(new RegExp(`^at1\\.r\\.${me.machineId}\\.[\\w-]{22}$`));
  expect(new Set(inboxes).size).toBe(2);
});

test('a machine stays online while a hub that has just started has not heard from it', async () => {
  const { directory, whole, lost } = member();
  whole.answer = { machines: [entry(hub), entry(other)] };
  await directory.onState(true);
  const unheard = { epoch: '', link: 0, online: false };
  whole.answer = { machines: [entry(hub, { epoch: 'next' }), entry(other, { ...unheard, isUnheard: true })] };
  await directory.onState(true);
  expect([directory.get(other.machineId)?.online, lost.includes(other.machineId)]).toEqual([true, false]);
  await directory.onChanges(bytes({ machines: [entry(other, unheard)] }));
  expect([directory.get(other.machineId)?.online, lost.includes(other.machineId)]).toEqual([false, true]);
});

test('a hub tells all once a machine has been silent since before its start', async () => {
  const { directory, published } = hubOf([known(other)]);
  const asked = () => JSON.parse(Buffer.from(directory.whole(other.machineId, new Uint8Array())!).toString());
  expect(asked().machines[1]).toMatchObject({ machineId: other.machineId, online: false, isUnheard: true });
  const told = published();
  clock += 9_000;
  expect(await told).toMatchObject({ machines: [{ machineId: other.machineId, online: false }] });
  expect(asked().machines[1]).not.toHaveProperty('isUnheard');
});

test('a hub that cannot store when a machine went goes on, tells all, and reports the fault', async () => {
  const full = new Error('ENOSPC');
  const { published, faults } = hubOf([known(other)], () => Promise.reject(full));
  const told = published();
  clock += 9_000;
  expect(await told).toMatchObject({ machines: [{ machineId: other.machineId, online: false }] });
  await new Promise(setImmediate);
  expect(faults).toEqual([full]);
});
