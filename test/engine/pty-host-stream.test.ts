import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Frame } from '#dist/contract/host-protocol.js';
import { MAX_HOST_FRAME_BYTES } from '#dist/contract/limits.js';
import { encodeFields, encodeFrame } from '#dist/workers/pty-host/wire/framing.js';
import { greetHost } from '#dist/workers/pty-host/wire/handshake.js';
import { eventually } from '../support/processes.js';
import { Collector, Rig, windowSizeOf } from './pty-host-rig.js';

let rig: Rig;
beforeEach(async () => {
  rig = await Rig.start();
});
afterEach(() => rig.end());

const LINES = 300_000;

/** Returns the output of `seq`, in which each line's place shows a lost or doubled byte. */
function seqOutput(): string {
  let text = '';
  for (let line = 1; line <= LINES; line += 1) text += `${line}\r\n`;
  return text;
}

describe('attaching', () => {
  test('again and again in a flood yields every byte exactly once', async () => {
    const { handle } = await rig.spawn('/usr/bin/env', ['seq', String(LINES)]);
    const expected = seqOutput();
    let taken = '';
    for (let stop = 200_000; ; stop += 300_000) {
      const sink = new Collector();
      const connection = await rig.connect();
      // The checkpoint replaces the output before its position, as a screen would.
      sink.attach(connection, handle);
      await sink.until('some more', () => sink.exit !== null || sink.position >= stop);
      taken = taken.slice(0, sink.restored!.position) + sink.text;
      if (sink.exit) break;
      expect(taken.length).toBe(sink.position);
      connection.close();
    }
    expect(taken.length).toBe(expected.length);
    expect(taken === expected).toBe(true);
  });

  test('continues from the checkpoint, with its bytes', async () => {
    const { sink, handle } = await rig.run('printf 1234; read line; printf 56; read line', { cols: 90 });
    await sink.until('first part', () => sink.text === '1234');
    await rig.host.type(handle, [{ data: '\r' }]);
    await sink.until('second part', () => sink.text === '1234\r\n56');
    rig.host.checkpoint(handle, { position: 3, cols: 90, rows: 24, bytes: Buffer.from('screen') });
    rig.host.confirm(handle, 5);
    // Neither checkpoint has an effect: the first is behind, and the second is beyond the sent output.
    rig.host.checkpoint(handle, { position: 2, cols: 90, rows: 24, bytes: Buffer.from('behind') });
    rig.host.checkpoint(handle, { position: 999, cols: 90, rows: 24, bytes: Buffer.from('beyond') });
    await rig.host.list();
    const second = new Collector();
    second.holding = true;
    second.attach(await rig.connect(), handle);
    await second.until('replay', () => second.text === '4\r\n56');
    const state = { position: 3, end: 8, confirmed: 8, cols: 90, rows: 24 };
    expect(second.restored).toEqual({ ...state, bytes: Buffer.from('screen') });
    await sink.until('the first reader is told', () => sink.gone);
  });

  test('continues from the checkpoint before one that is too long', async () => {
    const { sink, handle } = await rig.run('printf 1234; read line');
    await sink.until('output', () => sink.text === '1234');
    const bytes = Buffer.alloc(MAX_HOST_FRAME_BYTES);
    const tooLong = { position: 4, cols: 80, rows: 24, bytes };
    expect(() => rig.host.checkpoint(handle, tooLong)).toThrow('too long');

    const { socket, onFrame } = await greetHost(rig.socketPath, { role: 'shard', instanceId: 'test' });
    const restored: number[] = [];
    onFrame((type, terminal) => void (type === Frame.restore && restored.push(terminal)));
    const attach = encodeFrame(Frame.attach, handle, encodeFields([['u32', 1]]));
    socket.write(attach);
    await eventually('it is attached', () => restored.length === 1);
    socket.write(encodeFrame(Frame.checkpoint, handle, bytes));
    socket.write(encodeFrame(Frame.checkpoint, handle, Buffer.alloc(MAX_HOST_FRAME_BYTES + 1)));
    socket.write(attach);
    await eventually('the connection goes on', () => restored.length === 2);
    socket.destroy();
    const third = new Collector();
    third.attach(await rig.connect(), handle);
    await third.until('replay', () => third.text === '1234');
    expect(third.restored).toMatchObject({ position: 0, end: 4 });
  });

  test('to an unknown or closed terminal ends it', async () => {
    const unknown = new Collector();
    unknown.attach(rig.host, 4711);
    await unknown.until('told', () => unknown.gone);
    const { sink, handle } = await rig.run('exec sleep 100');
    await rig.host.kill(handle);
    await sink.until('told', () => sink.gone);
  });

  test('twice in a row leaves nothing of the first', async () => {
    const { sink: first, handle } = await rig.run('printf abc; exec sleep 100');
    await rig.host.list();
    const second = new Collector();
    rig.host.detach(handle);
    second.attach(rig.host, handle);
    await second.until('output', () => second.position === 3);
    expect(second.events.filter(({ what }) => what.startsWith('restore'))).toHaveLength(1);
    expect(first.gone).toBe(false);
  });

  test('a reader that stops reading its socket slows no other reader', async () => {
    const { handle } = await rig.spawn('/usr/bin/env', ['seq', String(LINES)]);
    const stuck = await rig.connect();
    const sink = new Collector();
    sink.holding = true;
    sink.attach(stuck, handle);
    await sink.until('all the credit', () => sink.position >= 1024 * 1024);
    const { sink: other } = await rig.run('seq 1000');
    await other.end();
    expect(other.text.endsWith('1000\r\n')).toBe(true);
    expect(sink.exit).toBeNull();
  });
});

describe('a resize', () => {
  test('reaches the program, and is in the stream behind earlier output', async () => {
    const report = 'trap "stty size; exit" WINCH; printf ready; while :; do sleep 0.05; done';
    const { sink, handle, pid } = await rig.run(report);
    await sink.until('ready', () => sink.text === 'ready');
    rig.host.resize(handle, 132, 43);
    await sink.end();
    expect(sink.text).toBe('ready43 132\r\n');
    expect(sink.events).toContainEqual({ at: 5, what: 'resize 132x43' });
    expect((await rig.host.list())[0]).toMatchObject({ cols: 132, rows: 43, pid });
    // No terminal is left to resize, so nothing happens and nothing breaks.
    rig.host.resize(handle, 100, 30);
    expect((await rig.host.list())[0]).toMatchObject({ cols: 132, rows: 43 });
  });

  test('is replayed at its place', async () => {
    const { sink, handle, pid } = await rig.run('printf one; read line; printf two; exec sleep 100');
    sink.holding = true;
    await sink.until('one', () => sink.text === 'one');
    rig.host.resize(handle, 100, 30);
    rig.host.resize(handle, 101, 31);
    await rig.host.type(handle, [{ data: '\r' }]);
    await sink.until('two', () => sink.text === 'one\r\ntwo');
    rig.host.resize(handle, 102, 32);
    await eventually('the size is set', () => windowSizeOf(pid) === '32 102');
    const second = new Collector();
    second.attach(rig.host, handle);
    await second.until('all', () => second.events.length === 4);
    expect(second.text).toBe('one\r\ntwo');
    expect(second.events).toEqual([
      { at: 0, what: 'restore 80x24' },
      { at: 3, what: 'resize 100x30' },
      { at: 3, what: 'resize 101x31' },
      { at: 8, what: 'resize 102x32' },
    ]);
  });
});
