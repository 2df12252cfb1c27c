import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Frame } from '#dist/contract/host-protocol.js';
import { MAX_HOST_FRAME_BYTES } from '#dist/contract/limits.js';
import {
  encodeFields,
  encodeFrame,
  encodeJson,
  FieldReader,
  FrameDecoder,
  FramingError,
  frameHeader,
} from '#dist/workers/pty-host/wire/framing.js';

interface Seen {
  type: number;
  terminal: number;
  payload: string;
}

/** Decodes chunks, and joins the pieces of an output frame. */
function decode(chunks: Buffer[]): Seen[] {
  const seen: Seen[] = [];
  const decoder = new FrameDecoder((type, terminal, payload) => {
    const last = seen.at(-1);
    if (type === Frame.output && last?.type === type && last.terminal === terminal) last.payload += payload;
    else seen.push({ type, terminal, payload: payload.toString() });
  });
  for (const chunk of chunks) decoder.push(chunk);
  return seen;
}

describe('frames', () => {
  test('have the shape that the protocol draws', () => {
    expect(encodeFrame(Frame.input, 7, Buffer.from('hi')).toString('hex')).toBe(
      '00000007120000000768' + '69',
    );
    expect(frameHeader(Frame.output, 0x01020304, 0xffff).toString('hex')).toBe('000100042101020304');
    expect(encodeJson(Frame.reply, 0, { a: 1 }).subarray(9).toString()).toBe('{"a":1}');
  });

  test('come out as they went in, wherever the stream is cut', () => {
    const frame = fc.record({
      type: fc.constantFrom(Frame.input, Frame.detach, Frame.output, Frame.reply),
      terminal: fc.integer({ min: 0, max: 0xffffffff }),
      payload: fc.string({ maxLength: 40, unit: 'grapheme-ascii' }),
    });
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 })), (frames, cuts) => {
        // Adjacent output frames of one terminal mean the same as one frame.
        const distinct = frames.filter(({ type, payload }, index) => {
          return type !== Frame.output || (payload.length > 0 && frames[index - 1]?.type !== Frame.output);
        });
        let stream = Buffer.concat(
          distinct.map((f) => encodeFrame(f.type, f.terminal, Buffer.from(f.payload))),
        );
        const chunks: Buffer[] = [];
        for (const cut of cuts) {
          chunks.push(stream.subarray(0, cut));
          stream = stream.subarray(cut);
        }
        const joined: Seen[] = [];
        for (const f of distinct) {
          const last = joined.at(-1);
          if (f.type === Frame.output && last?.type === f.type && last.terminal === f.terminal)
            last.payload += f.payload;
          else joined.push({ ...f });
        }
        expect(decode([...chunks, stream])).toEqual(joined);
      }),
    );
  });

  test.each([
    ['too long', MAX_HOST_FRAME_BYTES + 1],
    ['too short', 4],
  ])('%s are refused', (_, length) => {
    const header = Buffer.alloc(9);
    header.writeUInt32BE(length);
    expect(() => decode([header])).toThrow(FramingError);
  });

  test('too long are skipped if the receiver asks for it, wherever the stream is cut', () => {
    const tooLong = encodeFrame(Frame.checkpoint, 3, Buffer.alloc(100, 'x'));
    const after = encodeFrame(Frame.input, 4, Buffer.from('after'));
    for (const step of [1, 7, 50, 200]) {
      const seen: string[] = [];
      const decoder = new FrameDecoder(
        (type, terminal, payload) => seen.push(`${type} ${terminal} ${payload}`),
        {
          maxBytes: 50,
          passOver: (type, terminal, length) => {
            seen.push(`passed ${type} ${terminal} ${length}`);
            return type === Frame.checkpoint;
          },
        },
      );
      const stream = Buffer.concat([after, tooLong, tooLong, after]);
      for (let at = 0; at < stream.length; at += step) decoder.push(stream.subarray(at, at + step));
      expect(seen).toEqual([`18 4 after`, 'passed 21 3 105', 'passed 21 3 105', '18 4 after']);
      expect(() => decoder.push(encodeFrame(Frame.input, 4, Buffer.alloc(60)))).toThrow(FramingError);
    }
  });

  test('carry numbers of fixed size', () => {
    const payload = encodeFields([
      ['u32', 4_000_000_000],
      ['f64', 2 ** 45],
      ['u16', 1000],
    ]);
    const fields = new FieldReader(Buffer.concat([payload, Buffer.from('rest')]));
    expect([fields.u32(), fields.position(), fields.u16()]).toEqual([4_000_000_000, 2 ** 45, 1000]);
    expect(fields.rest().toString()).toBe('rest');
    expect(() => new FieldReader(payload.subarray(0, 3)).u32()).toThrow(FramingError);
  });

  test.each([Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY])('refuse a position of %d', (value) => {
    expect(() => new FieldReader(encodeFields([['f64', value]])).position()).toThrow(FramingError);
  });
});
