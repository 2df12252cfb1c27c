import type { Segment } from '../../src/workers/shard/history.js';

/** Returns only the bytes, without the resizes between them. */
export function text(segments: Segment[]): string {
  return segments
    .map((segment) => ('bytes' in segment ? Buffer.from(segment.bytes).toString('latin1') : ''))
    .join('');
}

/** Returns bytes and resizes in order, regardless of how they are cut. */
export function flat(segments: readonly Segment[]): string {
  return segments
    .map((segment) =>
      'bytes' in segment
        ? Buffer.from(segment.bytes).toString('latin1')
        : `<${segment.cols} ${segment.rows}>`,
    )
    .join('');
}

/** Size of the screen where a history begins. */
export const SIZE = { cols: 80, rows: 24 };
/** A line of an image, with a line feed in it. */
export const SIXEL = '#0;2;0;0;0#0!20~-\n#1~~@@vv@@~~-\n';
