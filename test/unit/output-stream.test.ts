import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unfinishedCharacter } from '../../src/workers/shard/frames.js';
import { OutputStream } from '../../src/workers/shard/output-stream.js';
import type { FrameVariant, StreamMessage } from '../../src/workers/shard/protocol.js';

const decoder = new TextDecoder();

/** Bytes that are text, broken text, and everything a lossy decoder can stumble over, cut anywhere. */
const bytes = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((raw) => Buffer.from(raw)),
      fc
        .constantFrom([0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80], [0xf4, 0x90])
        .map(Buffer.from),
      fc.constant(Buffer.from('\ufefftext after a byte order mark')),
    ),
    { maxLength: 30 },
  )
  .map((parts) => Buffer.concat(parts as Buffer[]));

function cut(whole: Buffer, points: number[]): Buffer[] {
  const sorted = [
    0,
    ...points.map((point) => point % (whole.length + 1)).sort((a, b) => a - b),
    whole.length,
  ];
  return sorted.slice(1).map((end, index) => whole.subarray(sorted[index], end));
}

function record(watched: FrameVariant[]) {
  const messages: Array<{ type: string; content: string; seq: number | undefined }> = [];
  const order: string[] = [];
  const variants = new Set(watched);
  const port = {
    isFull: false,
    post: (message: StreamMessage) => {
      if (message.type !== 'output' && message.type !== 'resync') {
        order.push(message.type);
        return;
      }
      for (const frame of [message.plain, message.seq]) {
        if (!frame) continue;
        const { event } = JSON.parse(decoder.decode(frame));
        messages.push({ type: message.type, content: event.data.content, seq: event.seq });
        order.push(event.data.content);
      }
    },
  };
  const stream = new OutputStream({ id: 'term_x', position: 0, watched: () => variants, port });
  return { stream, messages, order, variants, port };
}

const exited: StreamMessage = {
  type: 'exited',
  id: 'term_x',
  exit: { exitCode: 0, signal: null, exitedAt: 0 },
};
const resized: StreamMessage = { type: 'resized', id: 'term_x', cols: 1, rows: 1 };

describe('OutputStream', () => {
  it('carries exactly the lossy decoding of the bytes, wherever they are cut', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 20 }), (whole, points) => {
        const { stream, messages } = record(['seq']);
        for (const chunk of cut(whole, points)) {
          stream.write(chunk);
          // An event posts what is gathered.
          stream.event(resized);
        }
        stream.end(exited);
        expect(messages.map(({ content }) => content).join('')).toBe(whole.toString('utf8'));
        if (whole.length > 0) expect(messages.at(-1)?.seq).toBe(whole.length);
      }),
    );
  });

  it('starts with a whole character when a watcher comes in the middle of one', () => {
    const { stream, order, variants } = record([]);
    stream.write(Buffer.from([0x61, 0xe2, 0x82]));
    variants.add('plain');
    stream.write(Buffer.from([0xac, 0x62]));
    stream.end(exited);
    expect(order).toEqual(['€b', 'exited']);
  });

  it('does not send what another shard has sent, and goes on in the middle of its last character', () => {
    const { stream, messages } = record(['seq']);
    stream.skip(Buffer.from([0x61, 0xe2]));
    stream.skip(Buffer.from([0x82]));
    stream.write(Buffer.from([0xac]));
    stream.end(exited);
    expect(messages).toEqual([{ type: 'output', content: '€', seq: 4 }]);
  });

  it('encodes nothing that nobody watches', () => {
    const { stream, order } = record([]);
    stream.write(Buffer.from([0x61, 0xe2]));
    stream.end(exited);
    expect(order).toEqual(['exited']);
  });

  it('holds what comes after a resync is asked for, in its order, and goes on from exactly there', () => {
    const { stream, messages, order } = record(['seq']);
    stream.write(Buffer.from([0x61, 0xc3]));
    stream.hold();
    stream.write(Buffer.from([0xa9, 0x7a]));
    stream.event(resized);
    stream.write(Buffer.from('last'));
    stream.end(exited);
    expect(order).toEqual(['a']);
    stream.resync('SCREEN', Buffer.from([0xc3]));
    stream.release();
    expect(order).toEqual(['a', '\x1bcSCREEN', 'éz', 'resized', 'last', 'exited']);
    expect(messages.map(({ seq }) => seq)).toEqual([1, 1, 4, 8]);
  });

  it('gives a resync the unfinished sequence that its frames continue', () => {
    const { stream, messages } = record(['plain']);
    stream.write(Buffer.from('\x1b]0;tit'));
    stream.hold();
    stream.resync('', Buffer.from('\x1b]0;tit'));
    stream.release();
    expect(messages.at(-1)?.content).toBe('\x1bc\x1b]0;tit');
  });

  it('drops frames while the port is full, and says so once', () => {
    const { stream, order, port } = record(['plain']);
    port.isFull = true;
    for (const text of ['one', 'two']) {
      stream.write(Buffer.from(text));
      stream.event(resized);
    }
    port.isFull = false;
    stream.write(Buffer.from('three'));
    stream.end(exited);
    expect(order).toEqual(['interrupted', 'resized', 'resized', 'three', 'exited']);
  });
});

describe('unfinishedCharacter', () => {
  it('agrees with a streaming decoder', () => {
    fc.assert(
      fc.property(bytes, (whole) => {
        const complete = whole.length - unfinishedCharacter(whole);
        const streaming = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole, { stream: true });
        expect(whole.toString('utf8', 0, complete)).toBe(streaming);
      }),
    );
  });
});
