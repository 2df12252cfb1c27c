import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import * as ws from 'ws';
import { Arena } from '../../bench/support/arena.js';
import { decode, type Encoding } from '../../bench/support/decode.js';
import { Marker } from '../../bench/support/marker.js';
import { verify } from '../../bench/support/verify.js';

const folder = mkdtempSync(join(tmpdir(), 'at-bench-decode-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The frame builder of ws; its types do not declare it. */
const { Sender } = ws as unknown as {
  Sender: { frame(data: Buffer, options: object): Buffer[] };
};

const HEAD = 'HTTP/1.1 101 Switching Protocols\r\n\r\n';

function frame(text: string, opcode = 1): Buffer {
  const options = { fin: true, rsv1: false, opcode, mask: false, readOnly: false };
  return Buffer.concat(Sender.frame(Buffer.from(text), options));
}

function output(content: string): string {
  return JSON.stringify({
    type: 'event',
    event: { type: 'output.data', terminalId: 'term_1', data: { content } },
  });
}

const decoded = (encoding: Encoding, bytes: Buffer) => Buffer.concat([...decode(encoding, bytes)]).toString();

describe('the output that a client of the bench has received', () => {
  it('is that of WebSocket frames of all sizes, without pings, replies and other events', () => {
    const contents = ['a', 'é'.repeat(300), '\x1b[m"\\'.repeat(30_000), 'z'];
    const other = JSON.stringify({ event: { type: 'terminal.exited', data: {} } });
    const frames = [
      frame('{"id":"welcome","success":true}'),
      ...contents.map((content) => frame(output(content))),
      frame('', 9),
      frame(other),
    ];
    expect(decoded('websocket', Buffer.concat([Buffer.from(HEAD), ...frames]))).toBe(contents.join(''));
  });

  it('is refused if a message comes in several frames, which would be miscounted', () => {
    expect(() => decoded('websocket', Buffer.concat([Buffer.from(HEAD), frame('x', 0)]))).toThrow(
      'opcode 0x80',
    );
  });

  it('ends before an incomplete frame', () => {
    const whole = Buffer.concat([Buffer.from(HEAD), frame(output('a')), frame(output('b'.repeat(200)))]);
    expect(decoded('websocket', whole.subarray(0, -1))).toBe('a');
  });

  it('is that of server-sent events in HTTP chunks, wherever these are cut', () => {
    const events =
      ':ok\n\ndata: [0.1,"o","one\\r\\n"]\n\ndata: [0.2,"r","80x24"]\n\ndata: [0.3,"o","é"]\n\ndata: ["exit",0,"x"]\n\n';
    const bytes = Buffer.from(events);
    const chunks = [bytes.subarray(0, 20), bytes.subarray(20)].map((piece) =>
      Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
    );
    expect(decoded('sse', Buffer.concat([Buffer.from(HEAD), ...chunks]))).toBe('one\r\né');
  });

  it('is that of tmux lines, in which control characters and backslashes are octal', () => {
    const lines =
      '%begin 1 1 1\nno output\n%end 1 1 1\n%output %1 a\\134b \\033[m\\015\\012\n%output %1 é\n%output %1 cut';
    expect(decoded('tmux-control', Buffer.from(lines))).toBe('a\\b \x1b[m\r\né');
  });
});

describe('the check of a flood', () => {
  const file = join(folder, 'flood');
  writeFileSync(file, 'one\ntwo\n');
  const check = (pieces: string[], head = '', tail = '') =>
    verify(
      file,
      { head, tail },
      pieces.map((piece) => Buffer.from(piece)),
    );

  it('compares output with the file as a terminal prints it, however it is cut, and with the text around it', () => {
    expect(check(['one\r', '\ntwo\r\n'])).toEqual({ bytes: 10, wrongAt: undefined, isCut: false });
    expect(check(['>one\r\ntwo\r\n', 'end'], '>', 'end')).toMatchObject({ bytes: 14, wrongAt: undefined });
  });

  it('reports wrong, missing and surplus output', () => {
    expect(check(['one\r\n', 'tvo\r\n'])).toMatchObject({ bytes: 10, wrongAt: 5, isCut: false });
    expect(check(['one\r\n'])).toMatchObject({ bytes: 5, wrongAt: undefined });
    expect(check(['one\r\ntwo\r\n', 'x'])).toMatchObject({ wrongAt: 10 });
  });

  it('distinguishes a screen in place of output from wrong output', () => {
    expect(check(['one\r\n', '\x1bc\x1b[Hone'])).toMatchObject({ wrongAt: 5, isCut: true });
  });
});

describe('a client of the bench', () => {
  it('finds the end of a stream, also in two pieces', async () => {
    const marker = new Marker('the end');
    for (const text of ['a'.repeat(5_000), 'the e', 'nd of it'])
      marker.look(Buffer.from(text), Buffer.byteLength(text));
    await marker.seen;
  });

  it('keeps or counts the bytes it receives, and reports when they exceed its room', () => {
    const arena = new Arena();
    arena.reset(10);
    arena.take(Buffer.from('abc'));
    expect([arena.length, arena.bytes.toString()]).toEqual([3, 'abc']);
    const flooded = () => {
      for (let index = 0; index < 10; index++) arena.take(Buffer.alloc(1024 * 1024));
    };
    expect(flooded).toThrow('more came than the expected bytes');
    arena.reset(0);
    flooded();
    expect(arena.length).toBe(10 * 1024 * 1024);
    expect(() => arena.bytes).toThrow('without keeping them');
  });
});
