import { expect, it } from 'vitest';
import { Changes, Heartbeat } from '../../src/fleet/entry.js';
import { machineIdOf } from '../../src/fleet/identity.js';
import { HubMessage, JoinMessage, wordsOf } from '../../src/fleet/pairing-messages.js';
import { sha256, unseal } from '../../src/fleet/signed.js';
import { AnswerHead, CallRequest, CallTaken } from '../../src/fleet/wire.js';
import { readExchange, writeExchange } from '../support/fleet-exchange.js';

if (process.env.AUTO_TERMINAL_KEEP_EXCHANGE === '1') writeExchange();

const { keys, packets, plain, answerBody, words } = readExchange();
const bytes = (text: string) => Buffer.from(text);

it('reads what machines of protocol 1 say when they pair', () => {
  for (const step of ['hello', 'reveal', 'ask'] as const)
    expect(JoinMessage.parse(unseal(bytes(packets[step]), 'join', keys.sender))).toMatchObject({ step });
  expect(HubMessage.parse(unseal(bytes(packets.waiting), 'join', keys.receiver))).toEqual({
    state: 'waiting',
  });
  const nonce = 'bm9uY2U';
  expect(
    wordsOf({
      ...{ inviteId: 'inv_0', fingerprint: 'f', guestKey: keys.sender, hubKey: keys.receiver },
      ...{ guestNonce: nonce, hubNonce: nonce },
    }),
  ).toBe(words);
});

it('reads their requests and answers, and knows their machines by the same ids', () => {
  const call = CallRequest.parse(unseal(bytes(packets.call), 'call', keys.sender));
  expect(call).toMatchObject({ from: machineIdOf(keys.sender), to: machineIdOf(keys.receiver), key: 'key' });
  expect(CallTaken.parse(unseal(bytes(packets.taken), 'taken', keys.receiver))).toMatchObject({
    taken: true,
  });
  expect(CallTaken.parse(unseal(bytes(packets.refused), 'taken', keys.receiver))).toMatchObject({
    ...{ taken: false, status: 403, body: { code: 'not-granted', needs: 'execute' } },
  });
  const head = AnswerHead.parse(unseal(bytes(packets.answer), 'answer', keys.receiver));
  expect([head.bytes, head.hash]).toEqual([answerBody.length, sha256(answerBody)]);
});

it('reads their heartbeats, and ignores fields of later releases', () => {
  const later = { ...(JSON.parse(plain.heartbeat) as object), protocols: { min: 1, max: 4 }, rooms: 3 };
  expect(Heartbeat.parse(JSON.parse(plain.heartbeat))).toMatchObject({ protocols: { min: 1, max: 1 } });
  expect(Heartbeat.parse(later)).toMatchObject({ protocols: { min: 1, max: 4 } });
  expect(Heartbeat.parse(later)).not.toHaveProperty('rooms');
  expect(Changes.parse(JSON.parse(plain.directory)).machines).toMatchObject([
    { machineId: machineIdOf(keys.sender), protocols: { min: 1, max: 1 } },
  ]);
});
