import fc from 'fast-check';
import { expect, it } from 'vitest';
import { packCells, unpackCells } from '../../src/workers/shard/screen/xterm/row-codec.js';

it('packs cells of any words', () => {
  const word = fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0x400041, 0xffff_ffff), fc.nat(0xffff_ffff));
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word, word), { maxLength: 300 }), (cells) => {
      const words = Uint32Array.from(cells.flat());
      expect(unpackCells(packCells(words), words.length)).toEqual(words);
    }),
  );
});
