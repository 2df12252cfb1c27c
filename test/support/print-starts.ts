import fc from 'fast-check';
import type { PrintStart } from '../../src/workers/shard/screen/text/print-start.js';

/** Screens of up to `maxCols` columns, and any place of the cursor, most often the beginning of a row. */
export function printStarts(maxCols: number): fc.Arbitrary<PrintStart> {
  return fc
    .record({
      cols: fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 10, max: maxCols })),
      rows: fc.integer({ min: 1, max: 6 }),
      row: fc.nat(),
      col: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat() }),
      altScreen: fc.oneof(
        { weight: 14, arbitrary: fc.constant(false) },
        { weight: 1, arbitrary: fc.constant(true) },
      ),
    })
    .map((place) => ({ ...place, row: place.row % place.rows, col: place.col % place.cols }));
}
