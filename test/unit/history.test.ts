import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { History, type Segment } from '../../src/workers/shard/history.js';

function text(segments: Segment[]): string {
  return segments
    .map((segment) => ('bytes' in segment ? Buffer.from(segment.bytes).toString('latin1') : ''))
    .join('');
}

const SIZE = { cols: 80, rows: 24 };

describe('History', () => {
  it('gives back any stretch it still has, and says when it has not', () => {
    const writes = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 400 }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(writes, fc.nat(), fc.nat(), (chunks, first, second) => {
        const history = new History(2_000, 0, SIZE);
        for (const chunk of chunks) history.append(Buffer.from(chunk));
        const all = chunks.join('');
        const [begin, end] = [first % (all.length + 1), second % (all.length + 1)].sort((a, b) => a - b) as [
          number,
          number,
        ];
        const { gap, segments } = history.between(begin, end);
        if (!gap) expect(text(segments)).toBe(all.slice(begin, end));
        else expect(all.slice(begin, end).endsWith(text(segments))).toBe(true);
      }),
    );
  });

  it('keeps its bound and begins with a whole line', () => {
    const history = new History(1_000, 0, SIZE);
    for (let line = 0; line < 5_000; line++) history.append(Buffer.from(`line ${line}\n`));
    const { gap, segments } = history.between(0, Number.MAX_SAFE_INTEGER);
    const kept = text(segments);
    expect(gap).toBe(true);
    expect(kept.length).toBeGreaterThan(900);
    expect(kept.length).toBeLessThanOrEqual(1_250);
    expect(kept).toMatch(/^line \d+\n/);
    expect(kept.endsWith('line 4999\n')).toBe(true);
  });

  it('knows the size of the screen at any position', () => {
    const history = new History(10_000, 0, SIZE);
    history.append(Buffer.from('one'));
    history.resized(40, 10);
    history.append(Buffer.from('two'));
    expect(history.between(0, 6)).toMatchObject({ size: SIZE, segments: [{}, { cols: 40, rows: 10 }, {}] });
    expect(history.between(3, 6)).toMatchObject({ size: { cols: 40, rows: 10 } });
    expect(history.between(3, 6).segments).toHaveLength(1);
  });

  it('does not change what a reader was given', () => {
    const history = new History(10_000, 0, SIZE);
    history.append(Buffer.from('abc'));
    const { segments } = history.between(0, 3);
    history.append(Buffer.from('def'));
    expect(text(segments)).toBe('abc');
    expect(text(history.between(2, 5).segments)).toBe('cde');
  });
});
