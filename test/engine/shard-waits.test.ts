import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Shard } from '#dist/workers/shard/shard.js';
import { eventually } from '../support/processes.js';
import { ShardRig } from './shard-rig.js';

let rig: ShardRig;
let shard: Shard;

beforeEach(async () => {
  rig = await ShardRig.start();
  ({ shard } = await rig.shard());
});

afterEach(() => rig.end());

function outcome(wait: Promise<unknown>): Promise<string> {
  return wait.then(
    () => 'met',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

const text = (text: string) => ({ kind: 'text', text }) as const;

describe('until', () => {
  it('finds a text in a flood', async () => {
    const handle = await rig.run(shard, 't', 'read x; seq 1 400000; read x');
    const found = outcome(shard.until('t', 1, text('\n234567\n')));
    const missing = outcome(shard.until('t', 2, text('\n2345678\n')));
    await rig.rig.host.type(handle, [{ data: '\r' }]);
    expect(await found).toBe('met');
    await shard.until('t', 3, text('\n400000\n'));
    shard.cancel('t', 2);
    expect(await missing).toBe('unavailable');
  });

  it('finds text that a full-screen program draws, while it keeps drawing', async () => {
    const handle = await rig.run(
      shard,
      't',
      `stty -echo; printf '\\033[?1049h'; read x
       for i in $(seq 1 500); do printf '\\033[%d;1H%d' $((i % 20 + 1)) $i; done
       printf '\\033[22;8Hdle'; printf '\\033[22;5Hnee'
       while :; do printf '\\033[1;1H%d' $((i += 1)); sleep 0.01; done`,
    );
    const found = outcome(shard.until('t', 1, text('needle')));
    await rig.rig.host.type(handle, [{ data: '\r' }]);
    expect(await found).toBe('met');
    expect((await shard.look('t')).rows[21]).toBe('    needle');
  });

  it('ends when the terminal exits, or is closed', async () => {
    await rig.run(shard, 't', 'printf last');
    const ends = [text('last'), text('never'), { kind: 'idle', idleMs: 60_000 } as const];
    const outcomes = ends.map((awaited, index) => outcome(shard.until('t', index, awaited)));
    expect(await Promise.all(outcomes)).toEqual(['met', 'terminal-not-found', 'terminal-not-found']);
    await rig.run(shard, 'u', 'read x');
    const closed = outcome(shard.until('u', 1, { kind: 'output', after: 1_000 }));
    await shard.look('u');
    shard.close('u');
    expect(await closed).toBe('terminal-not-found');
  });

  it('detects quiet', async () => {
    await rig.run(shard, 't', 'for i in 1 2 3 4 5; do echo $i; sleep 0.05; done; read x');
    await shard.until('t', 1, { kind: 'idle', idleMs: 200 });
    const { rows, quietMs } = await shard.look('t');
    expect(rows.slice(0, 6)).toEqual(['1', '2', '3', '4', '5', '']);
    expect(quietMs).toBeGreaterThanOrEqual(200);
  });
});

describe('changes', () => {
  it('lists the terminals that have printed, with their output', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `t${index}`);
    const handles: number[] = [];
    // Starts the terminals one after the other: each start has a deadline at the host, and 100 starts at once miss it
    // on a slow machine.
    for (const id of ids) {
      handles.push(
        await rig.run(shard, id, `stty -echo; echo ready; while read x; do echo "$x ${id}"; done`),
      );
    }
    const isReady = async (id: string) => (await shard.look(id)).rows[0] === 'ready';
    for (const id of ids) await eventually(`${id} is ready`, () => isReady(id));
    const first = await shard.changes(new Map(ids.map((id) => [id, null])), 1_000);
    expect(first.invalid).toEqual([]);
    expect(new Set(first.changes.map(({ raw }) => raw))).toEqual(new Set(['ready\n']));
    const cursors = new Map<string, string | null>(first.changes.map(({ id, cursor }) => [id, cursor]));
    expect(cursors.size).toBe(100);
    expect((await shard.changes(cursors, 1_000)).changes).toEqual([]);
    for (const at of [3, 42, 99]) await rig.rig.host.type(handles[at]!, [{ data: 'hello\r' }]);
    for (const at of [3, 42, 99]) await shard.until(`t${at}`, 1, text(`hello t${at}`));
    cursors.set('t7', 'zzzzzz-0-0-0').set('gone', null);
    const { changes, invalid } = await shard.changes(cursors, 1_000);
    expect(changes.map(({ id, raw, gap, truncated }) => ({ id, raw, gap, truncated }))).toEqual(
      [3, 42, 99].map((at) => ({ id: `t${at}`, raw: `hello t${at}\n`, gap: false, truncated: false })),
    );
    expect(invalid).toEqual(['t7']);
  });

  it('keeps the end of much output, and reports the cut', async () => {
    const handle = await rig.run(shard, 't', 'stty -echo; read x; seq 1 200000; printf done; read x');
    const { cursor } = await shard.look('t');
    await rig.rig.host.type(handle, [{ data: '\r' }]);
    await shard.until('t', 1, text('done'));
    const { changes } = await shard.changes(new Map([['t', cursor]]), 50);
    expect(changes).toMatchObject([{ id: 't', gap: true, truncated: true }]);
    expect(changes[0]?.raw).toMatch(/^\d{6}\n(\d{6}\n)+200000\ndone$/);
    expect(changes[0]?.raw.length).toBeLessThanOrEqual(50);
    const query = { since: cursor, offset: 0, maxBytes: 50 };
    expect(await shard.read('t', query)).toMatchObject({ raw: changes[0]!.raw, truncated: true, gap: true });
  });
});
