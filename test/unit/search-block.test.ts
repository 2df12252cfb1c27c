import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlockBuilder, BlockView, type NewDocument } from '../../src/store/search/block.js';
import { fold } from '../../src/store/search/fold.js';
import { bitsOf, mayHold, SIGNATURE_BYTES } from '../../src/store/search/signature.js';

const LIMIT = 65_520;

const document: fc.Arbitrary<NewDocument> = fc.record({
  terminalId: fc.constantFrom('term_a', 'term_b', 'term_"quoted"', 'term_ü'),
  type: fc.constantFrom('output', 'input', 'error'),
  timestamp: fc.nat({ max: 8_640_000_000_000_000 }),
  content: fc
    .oneof(fc.string({ unit: 'binary', minLength: 1 }), fc.lorem({ mode: 'sentences' }))
    .map((text) => Buffer.from(text).toString()),
});

function build(documents: readonly NewDocument[]): BlockBuilder {
  const builder = new BlockBuilder();
  for (const each of documents) expect(builder.add(each, LIMIT)).toBe(true);
  return builder;
}

function isReadable(bytes: Buffer): boolean {
  try {
    return new BlockView(bytes).isIntact();
  } catch {
    return false;
  }
}

describe('a block', () => {
  it('returns the documents that it was made of', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 30 }), (documents) => {
        const builder = build(documents);
        const bytes = builder.encode();
        expect(bytes).toHaveLength(builder.size);
        const view = new BlockView(bytes);
        expect(view.isIntact()).toBe(true);
        const read = Array.from({ length: view.count }, (_, index) => {
          const { terminalId, type, timestamp } = view.entry(index);
          const { content, folded } = view.content(index);
          expect(folded).toBe(fold(content));
          return { terminalId, type, timestamp, content };
        });
        expect(read).toEqual(documents);
      }),
    );
  });

  it('finds the document of each byte of its text', () => {
    fc.assert(
      fc.property(fc.array(document, { minLength: 1, maxLength: 10 }), (documents) => {
        const view = new BlockView(build(documents).encode());
        for (let index = 0; index < view.count; index++) {
          const { begin, end } = view.entry(index);
          expect(view.indexAt(begin)).toBe(index);
          expect(view.indexAt(end - 1)).toBe(index);
        }
      }),
    );
  });

  it('accepts no document that would make it too long, but always a first one', () => {
    const builder = new BlockBuilder();
    const long = { terminalId: 't', type: 'output', timestamp: 0, content: 'x'.repeat(60_000) } as const;
    expect(builder.add(long, LIMIT)).toBe(true);
    const before = builder.encode();
    expect(builder.add({ ...long, content: 'y'.repeat(10_000) }, LIMIT)).toBe(false);
    expect(builder.encode()).toEqual(before);
    expect(builder.size).toBeLessThanOrEqual(LIMIT);
    expect(new BlockBuilder().add(long, 100)).toBe(true);
  });

  it('is refused, or known to be damaged, when a byte of it is wrong', () => {
    const bytes = build([
      { terminalId: 't', type: 'output', timestamp: 5, content: 'Some Text' },
      { terminalId: 'u', type: 'input', timestamp: 6, content: 'ls' },
    ]).encode();
    expect(isReadable(bytes)).toBe(true);
    for (let index = 0; index < bytes.length; index++) {
      const damaged = Buffer.from(bytes);
      damaged[index]! ^= 0x10;
      expect(isReadable(damaged)).toBe(false);
    }
    for (const length of [0, 10, 23, bytes.length - 1]) {
      expect(isReadable(bytes.subarray(0, length))).toBe(false);
    }
  });
});

describe('a signature', () => {
  it('never excludes a block that contains the query', () => {
    const cut = fc.tuple(fc.array(document, { minLength: 1, maxLength: 10 }), fc.nat(), fc.nat(), fc.nat());
    fc.assert(
      fc.property(cut, ([documents, which, from, length]) => {
        const { signature } = build(documents);
        const { content, terminalId, type } = documents[which % documents.length]!;
        const characters = [...content];
        const begin = from % characters.length;
        const query = fold(characters.slice(begin, begin + 1 + (length % 20)).join(''));
        expect(mayHold(signature, bitsOf(Buffer.from(query), [terminalId, type]))).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('excludes nearly all blocks that do not contain it', () => {
    const line = (index: number) =>
      `[${index}] compiled src/module-${index % 97}/file.ts in ${index % 311} ms\n`;
    const content = Array.from({ length: 1_200 }, (_, index) => line(index)).join('');
    const builder = build([{ terminalId: 'term_a', type: 'output', timestamp: 0, content }]);
    expect(builder.signature).toHaveLength(SIGNATURE_BYTES);
    const passes = (query: string, names: string[] = []) =>
      mayHold(builder.signature, bitsOf(Buffer.from(query), names));
    expect(passes('module-12/file', ['term_a', 'output'])).toBe(true);
    const absent = ['exception', 'segmentation fault', 'permission denied', 'ünlü', 'xyzzy', 'qq'];
    expect(absent.filter((query) => passes(query))).toEqual([]);
    expect(passes('module', ['term_b'])).toBe(false);
    expect(passes('module', ['input'])).toBe(false);
  });
});
