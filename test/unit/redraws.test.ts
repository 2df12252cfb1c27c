import { expect, test } from 'vitest';
import { RedrawScan } from '../../src/workers/shard/screen/backlog/redraw-scan.js';
import { Redraws } from '../../src/workers/shard/screen/backlog/redraws.js';
import { renderPrinted, type Segment } from '../../src/workers/shard/screen/text/printed.js';
import { RangeOutput } from '../../src/workers/shard/stages/range-output.js';
import { drivePairs, FIRST_SEED, SEEDS } from '../support/drive-pairs.js';
import { Random } from '../support/random.js';
import { redrawStream } from '../support/redraw-streams.js';

const sizeOf = (random: Random) => ({ cols: 2 + random.below(30), rows: 1 + random.below(12) });

test('a screen that holds the last redraw alone is the same as one that parses all', () => {
  const seen = drivePairs((random) => {
    const size = { ...sizeOf(random), scrollback: random.of([0, 3, 50]) };
    const often = { comparePlace: 33, compare: 4, saveSkipped: 4, sleep: 17, rest: 25 };
    return { size, steps: redrawStream(random, size, 60), often };
  });
  expect(seen.skips).toBeGreaterThan(SEEDS * 5);
  expect(seen.rests).toBeGreaterThan(SEEDS);
  expect(seen.places).toBeGreaterThan(SEEDS);
});

test('the redraws that a range keeps print the same lines as all of them', async () => {
  let left = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    const random = new Random(seed);
    const size = sizeOf(random);
    const output = new RangeOutput(0, size);
    const before = Buffer.from('before\r\n');
    output.append(before);
    const whole: Segment[] = [{ bytes: before }];
    let end = before.length;
    for (const step of redrawStream(random, size, 20)) {
      if (!(step instanceof Uint8Array)) {
        output.resized(step.cols, step.rows);
        whole.push(step);
        continue;
      }
      output.append(step);
      whole.push({ bytes: step });
      end += step.length;
    }
    const start = {
      ...size,
      row: random.below(size.rows),
      col: random.below(size.cols),
      altScreen: random.below(8) === 0,
    };
    const kept = output.between(0, end);
    expect(await renderPrinted(kept.segments, start), `seed ${seed}`).toEqual(
      await renderPrinted(whole, start),
    );
    const bytes = (segments: Segment[]) =>
      segments.reduce((sum, segment) => sum + ('bytes' in segment ? segment.bytes.length : 0), 0);
    left += end - bytes(kept.segments);
  }
  expect(left).toBeGreaterThan(SEEDS * 20);
});

const ESC = '\x1b';

test('redraws that come as one piece, as on a busy machine, repeat each other like single ones', () => {
  const redraws = new Redraws({ cols: 20, rows: 5 });
  const redraw = (text: string) => `${ESC}[A\r${ESC}[2K${ESC}[31m${text}${ESC}[39m\r\n`;
  const repeats = (text: string) => redraws.repeats(Buffer.from(text));
  expect(repeats(redraw('1') + redraw('2'))).toBe(false);
  expect(repeats(redraw('3') + redraw('4') + redraw('5'))).toBe(true);
  expect(repeats(redraw('6'))).toBe(true);
  expect(repeats(`${redraw('7') + redraw('8')}\r${ESC}[2K`)).toBe(false);
  expect(repeats(redraw('9'))).toBe(false);
  expect(repeats(redraw('10').repeat(100))).toBe(true);
});

test.each([
  [
    'six rows as agents draw them',
    `${ESC}[2A\r${ESC}[2K${ESC}[38;5;174m⠋ word…${ESC}[39m\r\n${ESC}[2Kmore\r\n`,
    true,
  ],
  ['erased on the way up', `${ESC}[2K${ESC}[1A${ESC}[2K${ESC}[Gone\r\n`, true],
  ['erased behind the text', `${ESC}[A\rone${ESC}[K\r\n`, true],
  ['a row of its own', `\r${ESC}[2K⠋ word`, true],
  ['a row that is not erased', `${ESC}[A\rone\r\n`, false],
  ['a row that does not begin on the first column', `${ESC}[A\r${ESC}[2Kone\ntwo${ESC}[K`, false],
  ['text that may begin anywhere', `${ESC}[A${ESC}[2Kone\r\n`, false],
  ['another row at the end', `${ESC}[2A\r${ESC}[2Kone\r\n`, false],
  ['rows below', `\r\n${ESC}[2Kone${ESC}[A`, false],
  ['a line that wraps', `\r${ESC}[2K${'x'.repeat(21)}`, false],
  ['more rows than the screen has', `${ESC}[5A\r${'\r\n'.repeat(5)}`, false],
  ['a title', `\r${ESC}[2K${ESC}]0;x${ESC}\\`, false],
  ['a bell', `\r${ESC}[2K\x07`, false],
  ['a sequence that is cut', `\r${ESC}[2K${ESC}[3`, false],
  ['a character that is cut', Buffer.from(`\r${ESC}[2K…`).subarray(0, -1), false],
  ['a query', `\r${ESC}[2K${ESC}[6n`, false],
  ['text alone', 'one\r\n', false],
])('%s: is it a redraw?', (_, bytes, isRedraw) => {
  expect(new RedrawScan().scan(Buffer.from(bytes), { cols: 20, rows: 5 }) !== undefined).toBe(isRedraw);
});
