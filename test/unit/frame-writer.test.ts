import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FrameWriter, frameHead } from '#dist/workers/shard/frame-writer.js';
import type { FrameVariant } from '../../src/workers/shard/protocol.js';
import { lossyBytes } from '../support/lossy-bytes.js';
import { payloadOf } from '../support/ws-payload.js';

const BOTH: ReadonlySet<FrameVariant> = new Set(['plain', 'seq']);

/** Returns the content that a client parses from each of the two variants. */
function written(writer: FrameWriter, id: string, pieces: Buffer[], seq: number) {
  writer.begin(frameHead(id));
  for (const piece of pieces) writer.add(piece);
  const { plain, seq: numbered } = writer.end(seq, BOTH);
  return [plain, numbered].map((frame) => JSON.parse(payloadOf(frame as ArrayBuffer)));
}

describe('FrameWriter', () => {
  it('makes messages with the lossy decoding of the bytes, in both variants', () => {
    const writer = new FrameWriter();
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), lossyBytes, fc.maxSafeNat(), (id, bytes, seq) => {
        const content = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
        const event = { type: 'output.data', terminalId: id, data: { content } };
        const [plain, numbered] = written(writer, id, [bytes], seq);
        expect(plain).toEqual({ type: 'event', event, timestamp: expect.any(String) });
        expect(numbered).toEqual({ type: 'event', event: { ...event, seq }, timestamp: expect.any(String) });
        expect(new Date(plain.timestamp).toISOString()).toBe(plain.timestamp);
      }),
    );
  });

  it('writes text of every length behind the header for it', () => {
    const writer = new FrameWriter();
    const [{ timestamp }] = written(writer, 'a', [], 0) as [{ timestamp: string }];
    const around = JSON.stringify({
      type: 'event',
      event: { type: 'output.data', terminalId: 'a', data: { content: '' } },
      timestamp,
    }).length;
    for (const payload of [125, 126, 127, 65_535, 65_536, 65_537, 500_000, 3_000_000]) {
      const text = 'x'.repeat(Math.max(0, payload - around));
      const [plain] = written(writer, 'a', [Buffer.from(text)], 1);
      expect(plain.event.data.content).toBe(text);
    }
  });

  it('writes the largest frame of control characters, and a still larger screen', () => {
    const writer = new FrameWriter();
    const controls = Buffer.alloc(64 * 1024, 0x1b);
    const [plain] = written(writer, '\u{1f600}'.repeat(500), [controls, controls], 1);
    expect(plain.event.data.content).toBe(controls.toString() + controls.toString());
    const half = '\ud800 half a pair, "quoted"\x1b'.repeat(100_000);
    writer.begin(frameHead('a'));
    writer.addText(half);
    const { plain: screen } = writer.end(1, new Set(['plain']));
    expect(JSON.parse(payloadOf(screen as ArrayBuffer)).event.data.content).toBe(half);
  });

  it('makes only the watched variants, each in memory of its own size', () => {
    const writer = new FrameWriter();
    writer.begin(frameHead('a'));
    writer.add(Buffer.from('text'));
    const frame = writer.end(4, new Set(['seq']));
    expect(Object.keys(frame)).toEqual(['seq']);
    expect(() => payloadOf(frame.seq as ArrayBuffer)).not.toThrow();
    writer.begin(frameHead('a'));
    expect(writer.end(4, new Set())).toEqual({});
  });

  it('adds the size to a screen, for clients that asked for it', () => {
    const writer = new FrameWriter();
    const all: ReadonlySet<FrameVariant> = new Set(['plain', 'seq', 'sized']);
    const made = (size?: { cols: number; rows: number }) => {
      writer.begin(frameHead('a'));
      return Object.entries(writer.end(4, all, size)).map(([variant, bytes]) => {
        const { type, terminalId, data, ...place } = JSON.parse(payloadOf(bytes)).event;
        return [variant, place];
      });
    };
    expect(made()).toEqual([
      ['plain', {}],
      ['seq', { seq: 4 }],
    ]);
    expect(made({ cols: 80, rows: 24 })).toEqual([
      ['plain', {}],
      ['seq', { seq: 4 }],
      ['sized', { seq: 4, cols: 80, rows: 24 }],
    ]);
    writer.begin(frameHead('a'));
    expect(Object.keys(writer.end(4, new Set(['sized'])))).toEqual(['seq']);
  });
});
