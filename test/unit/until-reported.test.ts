import { describe, expect, it } from 'vitest';
import type { QuietParts } from '../../src/actors/waits/quiet.js';
import { untilReported } from '../../src/actors/waits/quiet.js';
import { MAX_UNREAD_BYTES } from '../../src/contract/limits.js';
import type { Awaited } from '../../src/workers/shard/protocol.js';

/** A terminal whose pty host has read up to the next of these positions at each call; its shard notes each question. */
function terminal(reads: Array<{ position: number; isWhole: boolean }>) {
  const asked: string[] = [];
  const parts = {
    terminals: {
      readAll: async () => {
        asked.push('read');
        return reads.shift()!;
      },
    },
    screens: {
      until: async (_id: string, awaited: Awaited) => {
        asked.push(JSON.stringify(awaited));
      },
      place: async () => {
        asked.push('place');
        return { position: asked.length };
      },
    },
  };
  return { asked, parts: parts as unknown as QuietParts };
}

const scope = () => ({ signal: new AbortController().signal, leftMs: 10_000 });

describe('what a terminal has printed', () => {
  it('is read by the pty host, then received by the shard, then looked at behind its marks', async () => {
    const { asked, parts } = terminal([{ position: 70, isWhole: true }]);
    await untilReported(parts, 'term', scope());
    expect(asked).toEqual(['read', '{"kind":"output","after":69}', 'place']);
  });

  it('is read again while the terminal is paused', async () => {
    const { asked, parts } = terminal([
      { position: 70, isWhole: false },
      { position: 90, isWhole: true },
    ]);
    await untilReported(parts, 'term', scope());
    expect(asked).toEqual([
      ...['read', '{"kind":"output","after":69}', 'place'],
      ...['read', '{"kind":"output","after":89}', 'place'],
    ]);
  });

  it('is known once more has been read than was left, although the terminal is paused at each look', async () => {
    const positions = [100, MAX_UNREAD_BYTES + 99, MAX_UNREAD_BYTES + 100];
    const { asked, parts } = terminal(positions.map((position) => ({ position, isWhole: false })));
    await untilReported(parts, 'term', scope());
    expect(asked.filter((question) => question === 'read')).toHaveLength(3);
  });
});
