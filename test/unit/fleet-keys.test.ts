import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DomainError } from '../../src/contract/errors.js';
import { MAX_FLEET_NONCES_UNGRANTED } from '../../src/contract/limits.js';
import { identityOf, isSigned, loadIdentity, machineIdOf } from '../../src/fleet/identity.js';
import { decodeInvite, encodeInvite } from '../../src/fleet/invite-code.js';
import { nkeyOf } from '../../src/fleet/nkey.js';
import { Presence } from '../../src/fleet/presence.js';
import { Replays, RequestMemory } from '../../src/fleet/replay.js';
import { seal, unchecked, unseal } from '../../src/fleet/signed.js';
import { fourWords } from '../../src/fleet/words.js';

const secret = Buffer.from('0123456789');
const identity = identityOf(secret, 'guest');

test('a key is written once, readable by its user alone, and read again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'at-key-'));
  const file = join(folder, 'fleet/machine-key');
  const made = await loadIdentity(file);
  expect((await loadIdentity(file)).publicKey).toBe(made.publicKey);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'fleet'))).mode & 0o777).toBe(0o700);
  expect(made.machineId).toMatch(/^m_[0-9a-z]{12}$/);
  expect(machineIdOf(made.publicKey)).toBe(made.machineId);
  await rm(folder, { recursive: true });
});

test('a public key is written as NATS writes that of a user', () => {
  expect(nkeyOf(Buffer.alloc(32).toString('base64url'))).toMatch(/^U[A-Z2-7]{55}$/);
  expect(nkeyOf(identity.publicKey)).not.toBe(nkeyOf(identityOf(secret, 'other').publicKey));
});

test('a signature holds for its bytes, its purpose and its key alone', () => {
  const sealed = seal(identity, 'call', { a: 1 });
  expect(unseal(sealed, 'call', identity.publicKey)).toEqual({ a: 1 });
  expect(unseal(sealed, 'answer', identity.publicKey)).toBeUndefined();
  expect(unseal(sealed, 'call', identityOf(secret, 'other').publicKey)).toBeUndefined();
  const changed = Buffer.from(sealed).toString().replace('{"a":1}', '{"a":2}');
  expect(unseal(Buffer.from(changed), 'call', identity.publicKey)).toBeUndefined();
  expect(unchecked(Buffer.from(changed))).toEqual({ a: 2 });
  for (const nonsense of ['', '\n', 'x', '{}'])
    expect(unseal(Buffer.from(nonsense), 'call', identity.publicKey)).toBeUndefined();
  expect(isSigned(Buffer.from('x'), 'x', 'x')).toBe(false);
});

test('an invitation is read as it was written, and nothing else is one', () => {
  const fingerprint = Buffer.alloc(32, 7);
  const code = encodeInvite({ host: 'hub.example', port: 42_034, secret, fingerprint });
  expect(decodeInvite(` ${code}\n`)).toEqual({ host: 'hub.example', port: 42_034, secret, fingerprint });
  for (const text of ['', 'at1-', 'at1-x', code.slice(0, 40), code.replace('at1-', 'at2-')])
    expect(() => decodeInvite(text)).toThrow(DomainError);
});

test('the words follow from all that was exchanged', () => {
  expect(fourWords(['a', 'b'])).toMatch(/^[a-z]+ [a-z]+ [a-z]+ [a-z]+$/);
  expect(fourWords(['a', 'b'])).toBe(fourWords(['a', 'b']));
  expect(fourWords(['a', 'b'])).not.toBe(fourWords(['ab', '']));
});

test('a request is taken once, within five minutes of both clocks', () => {
  const replays = new Replays();
  const now = 1e12;
  expect(replays.note('one', now, now, 0)).toBeUndefined();
  expect(replays.note('one', now, now, 1)).toBe('repeated');
  expect(replays.note('two', now - 300_001, now, 1)).toBe('clock');
  expect(replays.note('two', now + 300_001, now, 1)).toBe('clock');
  // A request is remembered as long as its time would be accepted.
  expect(replays.note('one', now, now + 300_000, 300_000)).toBe('repeated');
  // After that its time is over, also by a clock that was set back meanwhile.
  expect(replays.note('one', now, now + 300_000, 600_001)).toBe('clock');
  expect(replays.note('three', now + 1, now + 300_000, 600_001)).toBeUndefined();
});

test('a machine that floods fills its own memory of requests, and a small one without a grant', () => {
  const requests = new RequestMemory();
  const flood = (machineId: string, isGranted: boolean, count: number) => {
    let last: string | undefined;
    for (let n = 0; n < count; n++) last = requests.of(machineId, isGranted).note(`${n}`, 0, 0, 0);
    return last;
  };
  expect(flood('stranger', false, MAX_FLEET_NONCES_UNGRANTED)).toBeUndefined();
  expect(flood('stranger', false, MAX_FLEET_NONCES_UNGRANTED + 1)).toBe('full');
  expect(flood('friend', true, MAX_FLEET_NONCES_UNGRANTED + 1)).toBeUndefined();
  // A request that was taken stays taken, whatever is granted later.
  expect(requests.of('stranger', true).note('0', 0, 0, 0)).toBe('repeated');
});

test('a machine is offline after 9 s of silence, or 0.8 s after its connection has ended', () => {
  const presence = new Presence();
  expect(presence.heard('m', 0)).toBe(true);
  expect(presence.heard('m', 3_000)).toBe(false);
  expect(presence.gone(11_999)).toEqual([]);
  expect(presence.gone(12_000)).toEqual(['m']);
  expect(presence.gone(12_000)).toEqual([]);
  expect(presence.heard('m', 13_000)).toBe(true);
  presence.closed('m', 13_100);
  expect(presence.gone(13_899)).toEqual([]);
  presence.heard('m', 13_850);
  expect(presence.gone(14_200)).toEqual([]);
  presence.closed('m', 14_300);
  expect(presence.gone(15_100)).toEqual(['m']);
});

test('the end of an earlier connection makes no machine offline that has connected again', () => {
  const presence = new Presence();
  presence.heard('m', 0, 7);
  presence.closed('m', 100, 5);
  expect(presence.gone(2_000)).toEqual([]);
  presence.closed('m', 2_000, 7);
  expect(presence.gone(2_800)).toEqual(['m']);
  // The connection may end before its first sign of life.
  presence.heard('m', 3_000, 9);
  presence.closed('m', 3_100, 11);
  expect(presence.gone(3_900)).toEqual(['m']);
});

test('a machine that an earlier service may have heard is expected for 9 s, and then offline', () => {
  const presence = new Presence();
  presence.expect('back', 0);
  presence.expect('gone', 0);
  expect(presence.heard('back', 2_000)).toBe(true);
  expect(['back', 'gone', 'new'].map((id) => presence.isUnheard(id))).toEqual([false, true, false]);
  expect(presence.gone(9_000)).toEqual(['gone']);
  expect(presence.isUnheard('gone')).toBe(false);
});

test('a text that only begins as a key is none: nothing longer is kept with the keys', () => {
  const bytes = Buffer.from('text');
  const signature = identity.sign(bytes);
  expect(isSigned(bytes, signature, identity.publicKey)).toBe(true);
  expect(isSigned(bytes, signature, `${identity.publicKey}!`)).toBe(false);
});
