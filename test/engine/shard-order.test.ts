import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamMessage } from '#dist/workers/shard/protocol.js';
import { ShardClient } from '#dist/workers/shard/shard-client.js';
import { Rig } from './pty-host-rig.js';
import { NONCE } from './shard-rig.js';

let rig: Rig;
let client: ShardClient;
/** Everything that came from the shard, in the order in which it came: its events, and its answers by name. */
let came: Array<StreamMessage | { type: 'answer'; to: string }>;

beforeEach(async () => {
  rig = await Rig.start();
  came = [];
  client = new ShardClient({
    ...{ socketPath: rig.socketPath, instanceId: 'test', scrollback: 100, spillFolder: rig.folder },
    onStream: (message) => came.push(message),
  });
});

afterEach(async () => {
  await client.terminate();
  await rig.end();
});

/** Starts a script on a terminal that the shard is home to; gives its handle. */
async function run(id: string, script: string): Promise<number> {
  const { handle } = await rig.spawn('/bin/sh', ['-c', script]);
  await client.link.call((shard) => shard.open({ id, handle, isNew: true, commands: { nonce: NONCE } }));
  return handle;
}

/** Notes when an answer comes. */
async function note(to: string, answer: Promise<unknown>): Promise<void> {
  await answer;
  came.push({ type: 'answer', to });
}

/** Lets the shard post while this thread takes nothing. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

const names = () => came.map((one) => (one.type === 'answer' ? one.to : one.type));

describe('what a shard posts', () => {
  it('comes in that order, answers and events alike, however late it is taken', async () => {
    await run('t', 'read x');
    await client.link.call((shard) => shard.look('t'));
    for (let round = 0; round < 5; round++) {
      came = [];
      const all = [
        note(
          'before',
          client.link.call((shard) => shard.ping()),
        ),
        note(
          'resize',
          client.link.call((shard) => shard.resize('t', 100 + round, 30)),
        ),
        note(
          'look',
          client.link.call((shard) => shard.look('t')),
        ),
      ];
      block(200);
      await Promise.all(all);
      // The size goes to the pty host and back, so the look may be answered before it.
      expect(names().filter((name) => name !== 'look')).toEqual(['before', 'resized', 'resize']);
    }
  });
});
