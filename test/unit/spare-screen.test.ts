import { expect, test } from 'vitest';
import { IN_MEMORY } from '../../src/workers/kept.js';
import { LazyScreen } from '../../src/workers/shard/screen/lazy-screen.js';
import { Screen } from '../../src/workers/shard/screen/screen.js';
import { SpareScreen } from '../../src/workers/shard/screen/spare-screen.js';
import { captureSteps } from '../../src/workers/shard/screen-answers.js';
import { drain } from '../../src/workers/shard/steps.js';
import { StoredScreen } from '../../src/workers/shard/stored-screen.js';
import { Random } from '../support/random.js';
import { tries } from '../support/tries.js';

/** `npm run test:long` sets 10,000. */
const SEEDS = tries(300, 'AUTO_TERMINAL_LONG_SEEDS');

/** Sequences whose effect lasts; a digit replaces %. */
const SET = [
  ...[
    '\x1b]0;title %\x07',
    '\x1b]0;\x07',
    '\x1b]1;icon %\x07',
    '\x1b]2;window %\x07',
    '\x1b[22t',
    '\x1b[23t',
  ],
  ...[
    '\x1b]4;1;#12345%\x07',
    '\x1b]104\x07',
    '\x1b]10;#ff%%00\x07',
    '\x1b]11;#00%%00\x07',
    '\x1b]12;#%%0000\x07',
  ],
  ...['\x1b]110\x07', '\x1b[?12h', '\x1b[?12l', '\x1b[20h', '\x1b[20l', '\x1b[?25l', '\x1b[?25h', '\x1b[3 q'],
  ...[
    '\x1b[?1h',
    '\x1b=',
    '\x1b>',
    '\x1b[?1000h',
    '\x1b[?1003h',
    '\x1b[?1006h',
    '\x1b[?1004h',
    '\x1b[?2004h',
  ],
  ...['\x1b[?7l', '\x1b[?7h', '\x1b(0', '\x1b(B', '\x1b)0', '\x0e', '\x0f', '\x1b*0\x1bn', '\x1b7', '\x1b8'],
  ...[
    '\x1b[3g',
    '\x1b[4G\x1bH',
    '\x1b[9;9H\x1b7',
    '\x1b[?47h',
    '\x1b[?47l',
    '\x1b[?1049h\x1b[2;2H\x1b[35m\x1b7',
  ],
  ...['\x1b[?1049l', '\x1b[1"q', '\x1b[0"q', '\x1b]8;;http://u%\x07link', '\x1b]8;;\x07', '\x1b[4:3;58;5;9m'],
  ...[
    '\x1b[3J',
    '\x1b[!p',
    '\x1bc',
    '\x1b[?6h',
    '\x1b[?6l',
    '\x1b[2;3r',
    '\x1b[r',
    '\x1b[4h',
    '\x1b[4l',
    '\x1b#8',
  ],
];
const WORDS = [
  'ok',
  'x'.repeat(25),
  'é',
  '中文',
  'a\u0301',
  '\t',
  '  ',
  '\x1b[31m',
  '\x1b[m',
  '\x1b[0;7m',
  '\x1b[K',
];
const TAILS = ['', 'tail', '\x1b[3', '中', '\r', '\t', 'tail\x1b[31m'];

/** A lazy screen in a flood, and another screen that parses everything. */
class Twins {
  readonly lazy: LazyScreen;
  readonly parsed: Screen;

  constructor(cols: number, rows: number, scrollback: number) {
    const fault = (error: unknown) => {
      throw error;
    };
    const stored = new StoredScreen({ cols, rows, bytes: new Uint8Array(0) });
    this.lazy = new LazyScreen({ scrollback, spill: IN_MEMORY, fault }, stored);
    this.parsed = new Screen({ cols, rows, scrollback });
  }

  print(text: string): void {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) {
      at += this.lazy.take(bytes.subarray(at));
      while (this.lazy.isDue) this.lazy.parse(64 * 1024);
    }
    this.parsed.feed(bytes);
  }
}

/** Returns everything visible that clients get; links without a name get new names each time. */
function answers(screen: Screen): string {
  const capture = drain(captureSteps(screen, { scrollback: false, exited: false }));
  const { title, modes } = screen;
  const pending = Buffer.from(screen.pending()).toString('hex');
  return JSON.stringify([screen.serialize({ scrollback: false }), capture, title, modes, pending]).replace(
    /id=at\d+:*;/g,
    'id=;',
  );
}

function printed(random: Random): string {
  const times = (most: number, make: () => string) =>
    Array.from({ length: random.below(most) }, make).join('');
  if (random.below(3) === 0)
    return times(5, () => random.of(SET).replaceAll('%', () => String(random.below(10))));
  return times(60, () => `${times(4, () => random.of(WORDS))}\r\n`) + random.of(TAILS);
}

test(
  'the visible screen of a terminal contains nothing of others of its shard',
  () => {
    let compared = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const random = new Random(seed);
      const spare = new SpareScreen();
      const [cols, rows] = [random.of([2, 3, 8, 20, 33]), random.of([1, 2, 4, 7])];
      const terminals = Array.from({ length: 3 }, () => new Twins(cols, rows, random.of([1, 2, 5, 30])));
      for (let step = 0; step < 25; step++) {
        const terminal = random.of(terminals);
        terminal.print(printed(random));
        const shown = terminal.lazy.heldView?.shownOn(spare);
        if (!shown) continue;
        expect(answers(shown), `seed ${seed}`).toBe(answers(terminal.parsed));
        compared++;
      }
    }
    process.stdout.write(`${SEEDS} seeds: ${compared} compared\n`);
    expect(compared).toBeGreaterThan(SEEDS);
  },
  60_000 + 50 * SEEDS,
);
