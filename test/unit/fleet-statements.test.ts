import { describe, expect, test } from 'vitest';
import { outsideServersOf } from '../../src/contract/fleet-setting.js';
import { identityOf } from '../../src/fleet/identity.js';
import { decodeOutsideInvite, encodeOutsideInvite } from '../../src/fleet/invite-code.js';
import { outsideServer } from '../../src/fleet/servers.js';
import { seal, unchecked } from '../../src/fleet/signed.js';
import { SignedStatements } from '../../src/fleet/statements.js';

const keys = { hub: identityOf(Buffer.from('hub'), 'x'), laptop: identityOf(Buffer.from('laptop'), 'x') };
const stranger = identityOf(Buffer.from('stranger'), 'x');
const hubKey = keys.hub.publicKey;
const laptopKey = keys.laptop.publicKey;
const statements = (who: 'hub' | 'laptop', epoch: string, fleetId = 'f_1') =>
  new SignedStatements({ fleetId, identity: keys[who], hubKey, epoch });

/** Makes the laptop ask the hub, as it does after each connection. */
function greet(hub: SignedStatements, laptop: SignedStatements): Uint8Array {
  const reply = hub.reply(keys.laptop, laptop.ask(), () => ({ machines: [] }))!;
  expect(laptop.answered(reply)).toEqual({ content: { machines: [] } });
  return reply;
}

function pairOf(epoch = 'first') {
  const [hub, laptop] = [statements('hub', epoch), statements('laptop', 'l')];
  greet(hub, laptop);
  return { hub, laptop };
}

describe('what a machine tells the hub', () => {
  test('waits for the hub to name its start', () => {
    expect(statements('laptop', 'l').toHub('beat', {})).toBeUndefined();
  });

  test('counts once, for its use, from its key, at that start and in that fleet', () => {
    const { hub, laptop } = pairOf();
    const beat = laptop.toHub('beat', { terminals: 1 })!;
    expect(hub.fromMachine(laptopKey, 'leave', beat)).toBeUndefined();
    expect(hub.fromMachine(hubKey, 'beat', beat)).toBeUndefined();
    expect(statements('hub', 'second').fromMachine(laptopKey, 'beat', beat)).toBeUndefined();
    expect(statements('hub', 'first', 'f_2').fromMachine(laptopKey, 'beat', beat)).toBeUndefined();
    expect(hub.fromMachine(laptopKey, 'beat', beat)).toEqual({ terminals: 1 });
    expect(hub.fromMachine(laptopKey, 'beat', beat)).toBeUndefined();
  });

  test('does not count after a later word, nor under the key of another', () => {
    const { hub, laptop } = pairOf();
    const [early, late] = [laptop.toHub('beat', {})!, laptop.toHub('beat', {})!];
    expect(hub.fromMachine(laptopKey, 'beat', late)).toEqual({});
    expect(hub.fromMachine(laptopKey, 'beat', early)).toBeUndefined();
    const said = unchecked(late) as { n: number };
    const forged = seal(stranger, 'beat', { ...said, n: said.n + 1 });
    expect(hub.fromMachine(laptopKey, 'beat', forged)).toBeUndefined();
    for (const nonsense of ['', 'x', '{}', 'null', '\nnull', 'x\n{"fleet":"f_1"}'])
      expect(hub.fromMachine(laptopKey, 'beat', Buffer.from(nonsense))).toBeUndefined();
  });

  test('goes on where an earlier start of the machine ended', () => {
    const { hub, laptop } = pairOf();
    for (let count = 0; count < 5; count++) hub.fromMachine(laptopKey, 'beat', laptop.toHub('beat', {})!);
    const again = statements('laptop', 'l2');
    greet(hub, again);
    expect(hub.fromMachine(laptopKey, 'beat', again.toHub('beat', { again: true })!)).toEqual({
      again: true,
    });
  });
});

describe('what the hub tells all', () => {
  test('comes in order and once; a gap is noticed', () => {
    const { hub, laptop } = pairOf();
    const said = [1, 2, 3, 4].map((at) => hub.toAll({ at }));
    expect(laptop.fromHub(said[0]!)).toEqual({ content: { at: 1 }, isGap: false });
    expect(laptop.fromHub(said[2]!)).toEqual({ content: { at: 3 }, isGap: true });
    expect(laptop.fromHub(said[1]!)).toBeUndefined();
    expect(laptop.fromHub(said[2]!)).toBeUndefined();
    expect(laptop.fromHub(said[3]!)).toEqual({ content: { at: 4 }, isGap: false });
  });

  test('of a start that is not known has the hub asked, and is not believed', () => {
    const { hub, laptop } = pairOf();
    const old = hub.toAll({ removed: ['all'] });
    const next = statements('hub', 'second');
    expect(laptop.fromHub(next.toAll({ at: 1 }))).toEqual({});
    greet(next, laptop);
    expect(laptop.fromHub(old)).toEqual({});
    expect(laptop.fromHub(next.toAll({ at: 2 }))).toEqual({ content: { at: 2 }, isGap: false });
  });

  test('is the word of the hub alone, for this fleet', () => {
    const { hub, laptop } = pairOf();
    const { hub: start } = unchecked(hub.toAll({})) as Record<string, string>;
    const forged = { fleet: 'f_1', hub: start, n: 9, content: {} };
    expect(laptop.fromHub(seal(stranger, 'directory', forged))).toBeUndefined();
    expect(laptop.fromHub(seal(keys.hub, 'reply', forged))).toBeUndefined();
    expect(laptop.fromHub(seal(keys.hub, 'directory', { ...forged, fleet: 'f_2' }))).toBeUndefined();
  });
});

describe('the reply to a question', () => {
  test('holds for the last question alone', () => {
    const { hub, laptop } = pairOf();
    const early = hub.reply(keys.laptop, laptop.ask(), () => ({}))!;
    const late = hub.reply(keys.laptop, laptop.ask(), () => ({ late: true }))!;
    expect(laptop.answered(early)).toBeUndefined();
    expect(laptop.answered(late)).toEqual({ content: { late: true } });
  });

  test('is given to the machine itself; to one that is not in the fleet it says that', () => {
    const { hub, laptop } = pairOf();
    const asked = laptop.ask();
    expect(hub.reply(keys.hub, asked, () => ({}))).toBeUndefined();
    const secret = () => ({ machines: ['all'] });
    const { machineId } = keys.laptop;
    const reply = hub.reply({ machineId, publicKey: undefined }, asked, secret)!;
    expect(Buffer.from(reply).toString()).not.toContain('all');
    expect(laptop.answered(reply)).toEqual({ isStranger: true });
  });

  test('is not given under another name: a machine of the fleet would take itself for a stranger', () => {
    const { hub, laptop } = pairOf();
    expect(
      hub.reply({ machineId: 'm_nobody', publicKey: undefined }, laptop.ask(), () => ({})),
    ).toBeUndefined();
  });
});

test('servers of others are named by URLs without users and paths, all with TLS or none', () => {
  expect(outsideServersOf('nats://a, nats://[::1]:5222')).toEqual([
    { host: 'a', port: 4222, isTls: false },
    { host: '::1', port: 5222, isTls: false },
  ]);
  for (const wrong of [
    '',
    ',',
    'a:4222',
    'nats://',
    'nats://u@a',
    'nats://a/b',
    'nats://a:0',
    'nats://a:65536',
  ])
    expect(outsideServersOf(wrong), wrong).toBeUndefined();
  expect(outsideServersOf('nats://a,tls://b')).toBeUndefined();
  expect(outsideServer({ url: 'nats://a' })).toEqual({ servers: [{ host: 'a', port: 4222 }], isOurs: false });
  expect(outsideServer({ url: 'nats://a', authorities: '/ca' })).toMatchObject({ tls: { file: '/ca' } });
  expect(outsideServer({ url: 'tls://a', credentials: '/c' })).toMatchObject({
    tls: {},
    login: { file: '/c' },
  });
});

test('an invitation to a server of others says the key of the hub', () => {
  const invite = { secret: Buffer.from('0123456789'), hubKey, url: 'tls://a:1,tls://b' };
  const code = encodeOutsideInvite(invite);
  expect(code).toMatch(/^at2-[A-Za-z0-9_-]+$/);
  expect(decodeOutsideInvite(` ${code}\n`)).toEqual(invite);
  expect(decodeOutsideInvite('at1-x')).toBeUndefined();
  expect(() => decodeOutsideInvite(code.slice(0, 40))).toThrow(/no invitation/);
});
