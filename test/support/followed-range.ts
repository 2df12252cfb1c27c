import { expect } from 'vitest';
import { readRange } from '../../src/workers/shard/output-range.js';
import type { TextPlace } from '../../src/workers/shard/piece-query.js';
import { readPiece } from '../../src/workers/shard/range-piece.js';
import { ShellRanges } from '../../src/workers/shard/stages/shell-ranges.js';
import { withoutLines } from '../../src/workers/shard/without-lines.js';
import { fedTerminal } from './fed-reader.js';

const silent = { tracker: { shellRanges: new ShellRanges(0, undefined) }, size: { rows: 5 }, printedAt: 0 };

/** Begins a range of output, and reads it in pieces while it grows, as a client does. */
export async function follow(before: string, maxBytes = 1_000_000, size?: { cols: number; rows: number }) {
  const { source, cursor, write, end } = fedTerminal(size?.cols, size?.rows);
  write(Buffer.from(before));
  const start = await cursor();
  const pieces: { dropped: number; text: string; gap: boolean }[] = [];
  let place: TextPlace | undefined;
  let text = '';
  async function read(last?: string): Promise<void> {
    for (;;) {
      const query = { start, maxBytes, ...(last && { end: last }), ...(place && { place }) };
      const piece = await readPiece(source, query);
      place = piece.place;
      const kept = withoutLines(text, piece.dropped);
      expect(kept.missing).toBe(0);
      text = kept.text + piece.text;
      pieces.push(piece);
      if (!piece.hasMore) break;
    }
  }
  return {
    ...{ write, end, pieces, read: () => read() },
    /** Ends the range; resolves with all pieces joined, and with the text of the whole range. */
    async finish() {
      const last = await cursor();
      write(Buffer.from('what comes after\r\n'));
      await read(last);
      const query = { start, end: last, raw: false, maxBytes: 10_000_000 };
      const whole = await readRange({ ...source, ...silent, secret: '' }, query);
      end();
      return { joined: text, whole: whole.text };
    },
  };
}
