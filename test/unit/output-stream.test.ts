import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameWriter } from '#dist/workers/shard/frame-writer.js';
import { OutputStream } from '#dist/workers/shard/output-stream.js';
import { unfinishedCharacter } from '#dist/workers/shard/unfinished-character.js';
import type { FrameVariant, StreamMessage } from '../../src/workers/shard/protocol.js';
import { cutAt, lossyBytes } from '../support/lossy-bytes.js';
import { payloadOf } from '../support/ws-payload.js';

function record(watched: FrameVariant[]) {
  const messages: Array<{ type: string; content: string; seq: number | undefined }> = [];
  const order: string[] = [];
  let variants = new Set(watched);
  const port = {
    isFull: false,
    frames: new FrameWriter(),
    post: (message: StreamMessage) => {
      if (message.type !== 'output' && message.type !== 'resync') {
        order.push(message.type);
        return;
      }
      for (const frame of [message.plain, message.seq]) {
        if (!frame) continue;
        const { event } = JSON.parse(payloadOf(frame));
        messages.push({ type: message.type, content: event.data.content, seq: event.seq });
        order.push(event.data.content);
      }
    },
  };
  const stream = new OutputStream({ id: 'term_x', position: 0, watched: () => variants, port });
  const watch = (wanted: FrameVariant[]) => {
    variants = new Set(wanted);
  };
  return { stream, messages, order, watch, port };
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
      fc.property(
        lossyBytes,
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.boolean(),
        (whole, points, isTold) => {
          const { stream, messages } = record(['seq']);
          for (const chunk of cutAt(whole, points)) {
            stream.write(chunk);
            // An event posts the gathered output; without an event the pieces are joined.
            if (isTold) stream.event(resized);
          }
          stream.end(exited);
          expect(messages.map(({ content }) => content).join('')).toBe(whole.toString('utf8'));
          if (whole.length > 0) expect(messages.at(-1)?.seq).toBe(whole.length);
        },
      ),
    );
  });

  it('gathers at most 64 KiB into a frame, of pieces of any size, and cuts no character', () => {
    const text = 'äöü€🙂 "quoted"\r\n'.repeat(20_000);
    for (const size of [1_000, 4_096, 65_527, 65_536, 65_537, 200_001]) {
      const { stream, messages } = record(['seq']);
      const whole = Buffer.from(text);
      for (let at = 0; at < whole.length; at += size) stream.write(whole.subarray(at, at + size));
      stream.end(exited);
      expect(messages.map(({ content }) => content).join('')).toBe(text);
      let position = 0;
      for (const { content, seq } of messages) {
        expect(content).not.toContain('\ufffd');
        position += Buffer.byteLength(content);
        expect(seq).toBe(position);
        expect(Buffer.byteLength(content)).toBeLessThanOrEqual(64 * 1024);
      }
    }
  });

  it('starts with a whole character when a watcher comes in the middle of one', () => {
    const { stream, order, watch } = record([]);
    stream.write(Buffer.from([0x61, 0xe2, 0x82]));
    watch(['plain']);
    stream.write(Buffer.from([0xac, 0x62]));
    stream.end(exited);
    expect(order).toEqual(['€b', 'exited']);
  });

  it('does not send output that another shard has sent, and goes on in the middle of its last character', () => {
    const { stream, messages } = record(['seq']);
    stream.skip(Buffer.from([0x61, 0xe2]));
    stream.skip(Buffer.from([0x82]));
    stream.write(Buffer.from([0xac]));
    stream.end(exited);
    expect(messages).toEqual([{ type: 'output', content: '€', seq: 4 }]);
  });

  it('encodes nothing that no client watches', () => {
    const { stream, order } = record([]);
    stream.write(Buffer.from([0x61, 0xe2]));
    stream.end(exited);
    expect(order).toEqual(['exited']);
  });

  it('holds output that follows a resync request, in its order, and goes on from exactly there', () => {
    const { stream, messages, order } = record(['seq']);
    stream.write(Buffer.from([0x61, 0xc3]));
    stream.hold();
    stream.write(Buffer.from([0xa9, 0x7a]));
    stream.event(resized);
    stream.write(Buffer.from('last'));
    stream.end(exited);
    expect(order).toEqual(['a']);
    stream.resync({ snapshot: 'SCREEN', cols: 80, rows: 24 }, Buffer.from([0xc3]));
    stream.release();
    expect(order).toEqual(['a', '\x1bcSCREEN', 'éz', 'resized', 'last', 'exited']);
    expect(messages.map(({ seq }) => seq)).toEqual([1, 1, 4, 8]);
  });

  it('gives a resync the unfinished sequence that its frames continue', () => {
    const { stream, messages } = record(['plain']);
    stream.write(Buffer.from('\x1b]0;tit'));
    stream.hold();
    stream.resync({ snapshot: '', cols: 80, rows: 24 }, Buffer.from('\x1b]0;tit'));
    stream.release();
    expect(messages.at(-1)?.content).toBe('\x1bc\x1b]0;tit');
  });

  it('drops frames while the port is full, and reports it once', () => {
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

  it('reports dropped frames again once another client may watch', () => {
    const { stream, order, port, watch } = record(['plain']);
    port.isFull = true;
    stream.write(Buffer.from('one'));
    stream.event(resized);
    watch(['plain']);
    for (const text of ['two', 'three']) {
      stream.write(Buffer.from(text));
      stream.event(resized);
    }
    expect(order).toEqual(['interrupted', 'resized', 'interrupted', 'resized', 'resized']);
  });

  it('reports frames that are dropped after the screen that made up for earlier ones', () => {
    const { stream, order, port } = record(['plain']);
    port.isFull = true;
    stream.write(Buffer.from('one'));
    stream.event(resized);
    stream.hold();
    stream.write(Buffer.from('two'));
    stream.resync({ snapshot: 'SCREEN', cols: 80, rows: 24 }, Buffer.alloc(0));
    // Other terminals of the shard have filled the port again.
    stream.release();
    stream.event(resized);
    expect(order).toEqual(['interrupted', 'resized', '\x1bcSCREEN', 'interrupted', 'resized']);
  });
});

describe('unfinishedCharacter', () => {
  it('agrees with a streaming decoder', () => {
    fc.assert(
      fc.property(lossyBytes, (whole) => {
        const complete = whole.length - unfinishedCharacter(whole);
        const streaming = new TextDecoder('utf-8', { ignoreBOM: true }).decode(whole, { stream: true });
        expect(whole.toString('utf8', 0, complete)).toBe(streaming);
      }),
    );
  });
});
