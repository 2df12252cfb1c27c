import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamMessage } from '#dist/workers/shard/protocol.js';
import { ShardClient } from '#dist/workers/shard/shard-client.js';
import { Rig } from './pty-host-rig.js';
import { MARKS, NONCE } from './shard-rig.js';

let rig: Rig;
let client: ShardClient;
/** Everything that came from the shard, in order of arrival: its events, and its answers by name. */
let came: Array<StreamMessage | { type: 'answer'; to: string; position?: number }>;

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

/** Starts a script on a terminal whose home is the shard; resolves with the terminal's handle. */
async function run(id: string, script: string): Promise<number> {
  const { handle } = await rig.spawn('/bin/sh', ['-c', script]);
  await client.link.call((shard) =>
    shard.open({ id, handle, isNew: true, labels: {}, commands: { nonce: NONCE } }),
  );
  return handle;
}

/** Records the arrival of an answer or a refusal. */
async function note(to: string, answer: Promise<unknown>): Promise<void> {
  const { position } = ((await answer.catch(() => undefined)) ?? {}) as { position?: number };
  came.push({ type: 'answer', to, ...(position !== undefined && { position }) });
}

/** Blocks this thread, so that the shard posts while nothing is taken. */
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
      // The resize goes to the pty host and back, so the look may be answered before the resize.
      expect(names().filter((name) => name !== 'look')).toEqual(['before', 'resized', 'resize']);
    }
  });

  it('has every mark before an answer about the output behind it', async () => {
    const handle = await run('t', `${MARKS}while read x; do A; B; C; echo $x; D 0; done`);
    for (let round = 0; round < 20; round++) {
      const waiting = client.link.call((shard) => shard.until('t', round, { kind: 'output', after: 0 }));
      await rig.host.type(handle, [{ data: '\r' }]);
      await waiting;
      const looks = [1, 2, 3].map(() =>
        note(
          'look',
          client.link.call((shard) => shard.look('t')),
        ),
      );
      block(20);
      await Promise.all(looks);
    }
    const early = came.filter((answer, index) => {
      if (answer.type !== 'answer') return false;
      const later = came.slice(index).filter((one) => one.type === 'mark');
      return later.some(({ mark }) => mark.state.position <= answer.position!);
    });
    expect(came.filter(({ type }) => type === 'mark').length).toBeGreaterThan(40);
    expect(early).toEqual([]);
  });

  it('makes every frame behind the answer to a watch follow that', async () => {
    await client.link.call((shard) => shard.watch({ all: ['plain'], terminals: new Map() }));
    await run('t', 'while :; do echo $((i += 1)); done');
    for (let round = 0; round < 20; round++) {
      const variant = round % 2 === 0 ? 'seq' : 'plain';
      const watching = client.link.call((shard) => shard.watch({ all: [variant], terminals: new Map() }));
      block(20);
      await watching;
      came = [];
      const { position } = await client.link.call((shard) => shard.look('t'));
      await client.link.call((shard) => shard.until('t', round, { kind: 'output', after: position }));
      await client.link.call((shard) => shard.snapshot('t'));
      const frames = came.filter((one) => one.type === 'output');
      expect(frames.length).toBeGreaterThan(0);
      const other = round % 2 === 0 ? 'plain' : 'seq';
      expect(frames.filter((frame) => frame[other] || !frame[variant])).toEqual([]);
    }
  });

  it('brings all text for the search index before the answer to a settle', async () => {
    await client.link.call((shard) => shard.feed(true));
    const { handle } = await rig.spawn('/bin/sh', ['-c', 'seq 1 2000; echo last; read x']);
    const terminal = { id: 't', handle, isNew: true, labels: {}, index: {}, commands: { nonce: NONCE } };
    await client.link.call((shard) => shard.open(terminal));
    await client.link.call((shard) => shard.until('t', 1, { kind: 'text', text: 'last' }));
    const settled = note(
      'settled',
      client.link.call((shard) => shard.settle()),
    );
    block(100);
    await settled;
    expect(came.at(-1)).toEqual({ type: 'answer', to: 'settled' });
    const texts = came.map((one) => (one.type === 'printed' ? one.content : ''));
    expect(texts.join('\n')).toContain('last');
  });

  it('reports an exit before the refusals that it is the reason for', async () => {
    const handle = await run('t', `${MARKS}A; B; C; read x`);
    await client.link.call((shard) => shard.until('t', 1, { kind: 'output', after: 0 }));
    const refused = ['idle', 'text', 'output'].map((kind, index) => {
      const awaited = { kind, idleMs: 60_000, text: 'never', after: 1_000_000 } as never;
      return note(
        kind,
        client.link.call((shard) => shard.until('t', 2 + index, awaited)),
      );
    });
    const exited = client.link.call((shard) => shard.until('t', 9, { kind: 'idle', idleMs: 60_000 }));
    await rig.host.type(handle, [{ data: '\r' }]);
    // A request made at the very moment of the refusal is refused in the same way.
    await exited.catch(() => undefined);
    const resized = client.link.call((shard) => shard.resize('t', 90, 30));
    await Promise.all([...refused, note('resize', resized)]);
    const order = names();
    expect(order).toContain('exited');
    expect(order.slice(order.indexOf('exited') + 1).sort()).toEqual(['idle', 'output', 'resize', 'text']);
  });
});
