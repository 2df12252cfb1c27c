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
  const variants = new Set(watched);
  const stream = new OutputStream({
    id: 'term_x',
    position: 0,
    watched: () => variants,
    post: (message: StreamMessage) => {
      if (message.type !== 'output' && message.type !== 'resync') return;
      for (const frame of [message.plain, message.seq]) {
        if (!frame) continue;
        const { event } = JSON.parse(decoder.decode(frame));
        messages.push({ type: message.type, content: event.data.content, seq: event.seq });
      }
    },
  });
  return { stream, messages, variants };
}

describe('OutputStream', () => {
  it('carries exactly the lossy decoding of the bytes, wherever they are cut', () => {
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(), { maxLength: 20 }), (whole, points) => {
        const { stream, messages } = record(['seq']);
        for (const chunk of cut(whole, points)) {
          stream.write(chunk);
          stream.flush();
        }
        stream.end();
        expect(messages.map(({ content }) => content).join('')).toBe(whole.toString('utf8'));
        if (whole.length > 0) expect(messages.at(-1)?.seq).toBe(whole.length);
      }),
    );
  });

  it('starts with a whole character when a watcher comes in the middle of one', () => {
    const { stream, messages, variants } = record([]);
    const [before, after] = [Buffer.from([0x61, 0xe2, 0x82]), Buffer.from([0xac, 0x62])];
    stream.write(before);
    variants.add('plain');
    stream.write(after);
    stream.flush();
    expect(messages.map(({ content }) => content)).toEqual(['€b']);
  });

  it('encodes nothing that nobody watches', () => {
    const { stream, messages } = record([]);
    stream.write(Buffer.from('unseen'));
    stream.end();
    expect(messages).toEqual([]);
  });

  it('holds what comes after a resync is asked for, and goes on from exactly there', () => {
    const { stream, messages } = record(['seq']);
    stream.write(Buffer.from([0x61, 0xc3]));
    stream.hold();
    stream.write(Buffer.from([0xa9, 0x7a]));
    stream.flush();
    expect(messages.map(({ content }) => content)).toEqual(['a']);
    stream.resync('SCREEN', Buffer.from([0xc3]), 2);
    expect(messages).toEqual([
      { type: 'output', content: 'a', seq: 1 },
      { type: 'resync', content: '\x1bcSCREEN', seq: 1 },
      { type: 'output', content: 'éz', seq: 4 },
    ]);
  });

  it('gives a resync the unfinished sequence that its frames continue', () => {
    const { stream, messages } = record(['plain']);
    stream.write(Buffer.from('\x1b]0;tit'));
    stream.hold();
    stream.resync('', Buffer.from('\x1b]0;tit'), 7);
    expect(messages.at(-1)?.content).toBe('\x1bc\x1b]0;tit');
  });

  it('posts an event after the output before it', () => {
    const posted: string[] = [];
    const stream = new OutputStream({
      id: 'term_x',
      position: 0,
      watched: () => new Set(['plain'] as const),
      post: (message) => posted.push(message.type),
    });
    stream.write(Buffer.from('first'));
    stream.write(Buffer.from('second'));
    stream.event({ type: 'resized', id: 'term_x', cols: 1, rows: 1 });
    expect(posted.at(-1)).toBe('resized');
    expect(posted.length).toBeGreaterThanOrEqual(2);
    stream.close();
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
