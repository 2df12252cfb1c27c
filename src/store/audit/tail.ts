import { closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { type AuditLine, decodeLine, hashOf, NO_LINE } from './audit-line.js';
import { type Segment, segmentsIn } from './segments.js';

const LF = 0x0a;
const STEP_BYTES = 64 * 1024;

/** The end of a log, where the next line goes. */
export interface Tail {
  segment: Segment | undefined;
  /** Length of the file of the segment. */
  bytes: number;
  /** Number and hash of the last line. */
  n: number;
  hash: string;
  /** When the last line was written, in epoch milliseconds. */
  at: number;
  /** Bytes of a line that a power loss or a full disk has left unfinished, and that were cut off. */
  cut: number;
}

/**
 * Finds the end of the log in a folder, and cuts off an unfinished line, which no caller counts as written. Throws the
 * errors of the file system, and an error if the last line is no line of a log, which only another program can cause.
 */
export function findTail(folder: string): Tail {
  let cut = 0;
  for (const segment of segmentsIn(folder).reverse()) {
    const end = endOf(segment);
    cut += end.cut;
    if (end.line) {
      const { n, at } = end.line;
      return { segment, bytes: end.bytes, n, hash: end.hash, at, cut };
    }
    // Its first line was not finished: the line before is in an older file, if there is one.
    if (segment.first > 1) continue;
    return { segment, bytes: 0, n: 0, hash: NO_LINE, at: 0, cut };
  }
  return { segment: undefined, bytes: 0, n: 0, hash: NO_LINE, at: 0, cut };
}

interface End {
  bytes: number;
  cut: number;
  line?: AuditLine;
  hash: string;
}

function endOf({ path }: Segment): End {
  const fd = openSync(path, 'r+');
  try {
    const { size } = fstatSync(fd);
    const { from, bytes: last } = lastWhole(fd, size);
    const end = from + last.length;
    const cut = size - (last.length > 0 ? end + 1 : 0);
    if (cut > 0) ftruncateSync(fd, size - cut);
    if (last.length === 0) return { bytes: 0, cut, hash: NO_LINE };
    const line = decodeLine(last.toString('utf8'));
    if (!line) throw new Error(`the last line of ${path} is no line of an audit log`);
    return { bytes: end + 1, cut, line, hash: hashOf(last) };
  } finally {
    closeSync(fd);
  }
}

/** Returns the last line that has a line feed, and where it begins; no bytes if there is none. */
function lastWhole(fd: number, size: number): { from: number; bytes: Buffer } {
  let bytes = Buffer.alloc(0);
  for (let from = size; from > 0; ) {
    const step = Math.min(STEP_BYTES, from);
    const piece = Buffer.alloc(step);
    readSync(fd, piece, 0, step, from - step);
    from -= step;
    bytes = Buffer.concat([piece, bytes]);
    const end = bytes.lastIndexOf(LF);
    if (end <= 0) continue;
    const begin = bytes.lastIndexOf(LF, end - 1);
    if (begin !== -1 || from === 0) return { from: from + begin + 1, bytes: bytes.subarray(begin + 1, end) };
  }
  return { from: 0, bytes: Buffer.alloc(0) };
}
