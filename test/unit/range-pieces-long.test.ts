import fc from 'fast-check';
import { expect, test } from 'vitest';
import { follow } from '../support/followed-range.js';
import { DRAWN, OVERWRITTEN, outputOf, WRITTEN } from '../support/output-parts.js';
import { tries } from '../support/tries.js';

const RUNS = tries(75);

/** Whole lines, so that a drawing among them is settled once a screenful of lines is below it. */
const LINES = Array.from({ length: 30 }, (_, line) => `line ${line}\r\n`);

/** Each run reads thousands of parts, and takes as long as dozens of runs of short output. */
const numRuns = Math.ceil(RUNS / 25);

test.each([
  ['written', [...WRITTEN, ...LINES]],
  ['overwritten', [...WRITTEN, ...OVERWRITTEN, ...LINES]],
  ['drawn', [...WRITTEN, ...OVERWRITTEN, ...DRAWN, ...LINES]],
  ['seldom drawn', [...DRAWN, ...Array.from({ length: 20 }, () => LINES).flat()]],
])('pieces of long %s output join to its text, wherever it is read', async (_name, parts) => {
  const output = outputOf(parts, { minLength: 500, maxLength: 5_000 });
  const size = fc.constantFrom({ cols: 20, rows: 5 }, { cols: 80, rows: 24 });
  const cuts = fc.array(fc.nat(), { maxLength: 12 });
  const maxBytes = fc.constantFrom(30, 1_000, 1_000_000);
  await fc.assert(
    fc.asyncProperty(output, size, cuts, maxBytes, async (bytes, screen, places, most) => {
      const reader = await follow('$ x\r\n', most, screen);
      const at = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
      for (const [index, begin] of [0, ...at].entries()) {
        reader.write(bytes.subarray(begin, at[index]));
        await reader.read();
      }
      const { joined, whole } = await reader.finish();
      expect(joined).toBe(whole);
    }),
    { numRuns, endOnFailure: true },
  );
});
