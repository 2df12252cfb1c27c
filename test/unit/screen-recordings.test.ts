import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { assertRoundTrip, Bare } from '../support/screen-pair.js';
import { RECORDED_NAMES, RECORDED_SIZES, recordAll, recordingName } from '../support/screen-record.js';

const FOLDER = fileURLToPath(new URL('../fixtures/screens/', import.meta.url));
const CUTS = 20;

// AUTO_TERMINAL_RECORD=1 records the programs of this machine anew.
test.runIf(process.env.AUTO_TERMINAL_RECORD)('record', () => recordAll(FOLDER), 300_000);

describe.each(RECORDED_NAMES)('%s', (name) => {
  test.each(RECORDED_SIZES)('is restored at 20 points at $cols x $rows', (size) => {
    const output = readFileSync(FOLDER + recordingName(name, size));
    const original = new Bare(size, 1000);
    for (let cut = 0; cut < CUTS; cut++) {
      // Uneven points, so that sequences and characters are cut too.
      const [from, to] = [cut, cut + 1].map((part) => Math.floor((part * output.length) / CUTS));
      expect(assertRoundTrip(original, [output.subarray(from, to)])).toEqual([]);
    }
    const other = { cols: size.cols - 17, rows: size.rows + 3 };
    expect(assertRoundTrip(original, [other, 'after\r\n', size, '\x1b[?1049l\x1b8after'])).toEqual([]);
  });
});
