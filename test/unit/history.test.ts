import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_LOG_RESIZES } from '../../src/contract/limits.js';
import { History } from '../../src/workers/shard/history.js';
import { SIXEL, SIZE, text } from '../support/segments.js';

describe('History', () => {
  it('gives back any range it still has, and reports a missing one', () => {
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

  it('begins within no sequence and no character, however long the line is', () => {
    const units = [
      'x',
      'é',
      '日',
      '\n',
      '\x1b[38;5;123m',
      '\x1b[m',
      '\x1b(B',
      '\x1b]0;a\nb\x07',
      `\x1bPq${SIXEL}\x1b\\`,
    ];
    const output = fc.array(fc.constantFrom(...units), { minLength: 300, maxLength: 700 });
    fc.assert(
      fc.property(output, fc.integer({ min: 1, max: 90 }), (parts, size) => {
        const all = Buffer.from(parts.join(''));
        const history = new History(500, 0, SIZE);
        for (let at = 0; at < all.length; at += size) history.append(all.subarray(at, at + size));
        const { gap, segments } = history.between(0, all.length);
        const kept = text(segments);
        expect([gap, all.toString('latin1').endsWith(kept)]).toEqual([all.length > 625, true]);
        expect(kept.length).toBeLessThanOrEqual(625);
        const begins = new Set([0]);
        let end = 0;
        for (const part of parts) {
          end += Buffer.byteLength(part);
          begins.add(end);
        }
        expect(begins).toContain(all.length - kept.length);
      }),
    );
  });

  it('begins at a line even if an image before it contains line feeds', () => {
    const history = new History(1_000, 0, SIZE);
    history.append(Buffer.from(`a\n\x1bPq${SIXEL.repeat(20)}\x1b\\b\nc\n${'.'.repeat(900)}`));
    expect(text(history.between(0, 10_000).segments)).toMatch(/^c\n\.+$/);
  });

  it('keeps nothing of a sequence longer than its bound', () => {
    const history = new History(1_000, 0, SIZE);
    history.append(Buffer.from('before\n\x1bPq'));
    for (let line = 0; line < 200; line++) history.append(Buffer.from(SIXEL));
    history.resized(40, 10);
    const end = 10 + 200 * SIXEL.length;
    expect(history.between(0, end)).toEqual({ gap: true, size: { cols: 40, rows: 10 }, segments: [] });
    history.append(Buffer.from('\x1b'));
    history.append(Buffer.from('\\after\n'));
    const { gap, segments } = history.between(0, end + 10);
    expect([gap, text(segments)]).toEqual([true, 'after\n']);
    expect(history.between(end + 2, end + 10)).toMatchObject({ gap: false, size: { cols: 40, rows: 10 } });
    history.append(Buffer.from('more\n'.repeat(2_000)));
    expect(text(history.between(0, 1e6).segments)).toMatch(/^(more\n)+$/);
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

  it('keeps the last of very many resizes between which nothing is printed, as the pty host does', () => {
    const history = new History(10_000, 0, SIZE);
    history.append(Buffer.from('one'));
    for (let count = 1; count <= 5_000; count++) history.resized(40 + (count % 2), 1 + (count % 500));
    history.resized(40, 10);
    history.append(Buffer.from('two'));
    const { segments } = history.between(0, 6);
    expect([text(segments), segments.length]).toEqual(['onetwo', 2 + MAX_LOG_RESIZES]);
    expect(segments.at(-2)).toEqual({ cols: 40, rows: 10 });
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
