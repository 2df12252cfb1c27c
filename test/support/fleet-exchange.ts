import { readFileSync, writeFileSync } from 'node:fs';
import { identityOf } from '../../src/fleet/identity.js';
import { wordsOf } from '../../src/fleet/pairing-messages.js';
import { seal, sha256 } from '../../src/fleet/signed.js';

const FILE = new URL('../fixtures/fleet/protocol-1.json', import.meta.url);

/** An exchange of two machines as a release of protocol 1 sent it: packets as they went over the wire. */
export interface Exchange {
  keys: { sender: string; receiver: string };
  /** Signed packets, by kind. */
  packets: Record<'hello' | 'reveal' | 'ask' | 'waiting' | 'call' | 'taken' | 'refused' | 'answer', string>;
  /** Packets that are not signed. */
  plain: Record<'heartbeat' | 'directory', string>;
  answerBody: string;
  words: string;
}

export function readExchange(): Exchange {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Exchange;
}

/** Writes the exchange as this release sends it. Keep the file unchanged: write another file for another protocol. */
export function writeExchange(): void {
  const [sender, receiver] = ['sender', 'receiver'].map((name) => identityOf(Buffer.from('fixture'), name));
  if (!sender || !receiver) throw new Error('there are two');
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
  const id = 'AAAAAAAAAAAAAAAAAAAAAA';
  const nonce = 'bm9uY2U';
  const answerBody = '{"terminals":[]}';
  const machine = {
    ...{ epoch: 'epoch', link: 1, deviceName: 'laptop', os: 'linux', version: '0.1.0', terminals: 2 },
  };
  const { publicKey } = sender;
  const exchange: Exchange = {
    keys: { sender: publicKey, receiver: receiver.publicKey },
    packets: {
      hello: text(
        seal(sender, 'join', {
          ...{ step: 'hello', publicKey, deviceName: 'laptop', os: 'linux', version: '0.1.0' },
          commitment: sha256(nonce),
        }),
      ),
      reveal: text(seal(sender, 'join', { step: 'reveal', publicKey, nonce })),
      ask: text(seal(sender, 'join', { step: 'ask', publicKey })),
      waiting: text(seal(receiver, 'join', { state: 'waiting' })),
      call: text(
        seal(sender, 'call', {
          ...{ id, from: sender.machineId, to: receiver.machineId, epoch: 'epoch', at: 1_795_000_000_000 },
          ...{ method: 'POST', url: '/api/fleet/execute', key: 'key', body: '{"command":"true"}' },
        }),
      ),
      taken: text(seal(receiver, 'taken', { taken: true, id })),
      refused: text(
        seal(receiver, 'taken', {
          ...{ taken: false, id, why: 'refused', epoch: 'epoch', status: 403 },
          body: { error: 'not granted', code: 'not-granted', needs: 'execute' },
        }),
      ),
      answer: text(
        seal(receiver, 'answer', {
          ...{ id, status: 200, headers: { 'content-type': 'application/json; charset=utf-8' } },
          ...{ bytes: answerBody.length, hash: sha256(answerBody) },
        }),
      ),
    },
    plain: {
      heartbeat: JSON.stringify(machine),
      directory: JSON.stringify({
        isWhole: true,
        machines: [
          { ...machine, machineId: sender.machineId, publicKey, online: true, lastSeenAt: 1_795_000_000_000 },
        ],
        removed: [],
      }),
    },
    answerBody,
    words: wordsOf({
      ...{ inviteId: 'inv_0', fingerprint: 'f', guestKey: publicKey, hubKey: receiver.publicKey },
      ...{ guestNonce: nonce, hubNonce: nonce },
    }),
  };
  writeFileSync(FILE, `${JSON.stringify(exchange, null, 2)}\n`);
}
