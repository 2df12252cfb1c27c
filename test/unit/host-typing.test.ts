import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeTyping,
  decodeTypingAll,
  encodeTyping,
  encodeTypingAll,
} from '../../src/workers/pty-host/wire/typing.js';

const head = fc.record({
  call: fc.nat(),
  deadline: fc.double({ noNaN: true }),
  once: fc.string({ unit: 'grapheme', maxLength: 256 }),
});

describe('the payload of typing', () => {
  it('gives back the call, the texts as UTF-8, and the pauses', () => {
    const part = fc.record({
      data: fc.string({ unit: 'binary' }),
      delayMs: fc.option(fc.nat(60_000), { nil: undefined }),
    });
    fc.assert(
      fc.property(head, fc.array(part, { maxLength: 5 }), (head, parts) => {
        const decoded = decodeTyping(encodeTyping(head, parts));
        expect(decoded).toMatchObject(head);
        expect(decoded.parts.map(({ bytes, delayMs }) => [Buffer.from(bytes).toString(), delayMs])).toEqual(
          parts.map(({ data, delayMs = 0 }) => [Buffer.from(data).toString(), delayMs]),
        );
      }),
    );
  });

  it('is refused when it is cut short', () => {
    const whole = encodeTyping({ call: 1, deadline: 2, once: 'op' }, [{ data: 'abc' }]);
    for (let length = 0; length < whole.length; length++) {
      if (length === 16) continue; // a call without parts
      expect(() => decodeTyping(whole.subarray(0, length))).toThrow();
    }
  });
});

describe('the payload of typing into many', () => {
  it('gives back the call, the terminals in their order, and the parts', () => {
    const parts = [{ data: 'grüße' }, { data: '\r', delayMs: 150 }];
    fc.assert(
      fc.property(head, fc.array(fc.nat(), { maxLength: 50 }), (head, handles) => {
        const decoded = decodeTypingAll(encodeTypingAll(head, handles, parts));
        expect(decoded).toMatchObject({ ...head, handles });
        expect(decoded.parts).toEqual(decodeTyping(encodeTyping(head, parts)).parts);
      }),
    );
  });

  it('is refused when it is cut short, or names more terminals than it holds', () => {
    const whole = encodeTypingAll({ call: 1, deadline: 2, once: 'op' }, [1, 2], [{ data: 'abc' }]);
    for (let length = 0; length < whole.length; length++) {
      if (length === 28) continue; // terminals without parts
      expect(() => decodeTypingAll(whole.subarray(0, length))).toThrow();
    }
    const lying = Buffer.from(whole);
    lying.writeUInt32BE(0xffffffff, 16);
    expect(() => decodeTypingAll(lying)).toThrow('cut short');
  });
});
