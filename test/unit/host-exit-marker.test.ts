import { describe, expect, test } from 'vitest';
import { MarkerFilter, newMarker } from '#dist/workers/pty-host/pty/exit-marker.js';

/** Feeds the chunks; returns the output, and the index of the chunk that completed the marker, or null. */
function filter(marker: Buffer, chunks: Buffer[], fragments: number[] = []) {
  const markerFilter = new MarkerFilter(marker);
  for (const bytes of fragments) markerFilter.addFragment(bytes);
  let output = '';
  for (const [index, chunk] of chunks.entries()) {
    const result = markerFilter.push(chunk);
    output += result.output.toString('latin1');
    if (result.found) return { output, foundIn: index };
  }
  return { output: output + markerFilter.flush().toString('latin1'), foundIn: null };
}

describe('the exit marker', () => {
  test('differs each time, and passes through a terminal unchanged', () => {
    const marker = newMarker().toString('latin1');
    expect(marker).toMatch(/^\x1b\]7779;\d{24}\x1b\\$/);
    expect(newMarker().toString('latin1')).not.toBe(marker);
  });

  test('is found and stripped wherever it is cut', () => {
    const marker = newMarker();
    const stream = Buffer.concat([Buffer.from('last words'), marker, Buffer.from('of another process')]);
    for (let first = 0; first <= stream.length; first += 1) {
      for (let second = first; second <= stream.length; second += 7) {
        const cut = [stream.subarray(0, first), stream.subarray(first, second), stream.subarray(second)];
        expect(filter(marker, cut).output).toBe('last words');
      }
    }
  });

  test('is found byte by byte, with a marker behind the beginning of another', () => {
    const marker = newMarker();
    const stream = Buffer.concat([marker.subarray(0, 9), marker]);
    const bytes = [...stream].map((byte) => Buffer.from([byte]));
    expect(filter(marker, bytes)).toEqual({
      output: marker.subarray(0, 9).toString('latin1'),
      foundIn: stream.length - 1,
    });
  });

  test('takes with it its own beginning that the kernel had no more room for', () => {
    const marker = newMarker();
    const stream = [Buffer.from('words'), marker.subarray(0, 9), marker];
    expect(filter(marker, [Buffer.concat(stream)], [9]).output).toBe('words');
    expect(filter(marker, stream, [9]).output).toBe('words');
  });

  test('holds back nothing for good', () => {
    const marker = newMarker();
    const held = marker.subarray(0, 12).toString('latin1');
    expect(filter(marker, [Buffer.from('words'), marker.subarray(0, 12)]).output).toBe(`words${held}`);
    expect(filter(marker, [marker.subarray(0, 12), Buffer.from('other')]).output).toBe(`${held}other`);
  });
});
