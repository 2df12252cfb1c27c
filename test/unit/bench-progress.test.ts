import { beforeEach, describe, expect, it } from 'vitest';
import { Progress } from '../../bench/support/progress.js';

let written: string;
let now: number;

beforeEach(() => {
  [written, now] = ['', 0];
});

function progressOn(screen: { isTTY?: boolean; columns?: number }): Progress {
  const write = (text: string) => {
    written += text;
  };
  return new Progress({ ...screen, write }, () => now);
}

describe('the progress of the bench', () => {
  it('is a line for each round in a log', () => {
    const progress = progressOn({});
    progress.begin('flood', 0, 3);
    progress.round(1, 2, { what: 'plain', side: 'ours' });
    progress.round(1, 2, { what: 'plain', side: 'tmux' });
    now = 61_000;
    progress.round(2, 2, { what: 'plain', side: 'tmux' });
    progress.end('done');
    expect(written).toBe(
      '[1/3] flood: starts (0 s)\n' +
        '[1/3] flood: plain, round 1 of 2 (0 s)\n' +
        '[1/3] flood: plain, round 2 of 2 (1 min 1 s)\n' +
        '[1/3] flood: done (1 min 1 s)\n',
    );
  });

  it('draws over one line in a terminal, with the side, and leaves a line for each case', () => {
    const progress = progressOn({ isTTY: true, columns: 32 });
    progress.begin('flood', 0, 1);
    progress.round(1, 2, { side: 'ours' });
    progress.round(1, 2, { what: 'a long name of the text', side: 'tmux' });
    progress.end('done');
    expect(written.split('\r\x1b[K').slice(1)).toEqual([
      '[1/1] flood: starts (0 s)',
      '[1/1] flood: round 1 of 2, ours',
      '[1/1] flood: a long name of the',
      '[1/1] flood: done (0 s)\n',
    ]);
  });

  it('clears its line for other output', () => {
    const progress = progressOn({ isTTY: true });
    progress.begin('flood', 0, 1);
    progress.print('an error');
    expect(written).toMatch(/\r\x1b\[Kan error\n$/);
  });
});
