import { readSync } from 'node:fs';
import { MAX_RECORDING_HEAD_BYTES, MAX_RECORDING_LINE_BYTES } from '../contract/limits.js';
import { RecordingEvent } from '../contract/recording.js';
import { decodeHead, type RecordingHead } from './recording-head.js';

const LF = 0x0a;
const COMMA = 0x2c;

/** Some of a recording's events, in order. */
export interface EventSlice {
  events: RecordingEvent[];
  /** Position to continue at; undefined after the last event. */
  next: number | undefined;
  /** Bytes of the file up to the end of the last of these events. */
  end: number;
}

/** Error for a file that is no recording, or a damaged recording. */
export class DamagedRecording extends Error {}

/**
 * Returns the head of a recording and its width, where the events begin. Throws DamagedRecording, which names `name`.
 */
export function readHead(fd: number, name: string): { head: RecordingHead; width: number } {
  const found = decodeHead(readBytes(fd, 0, Buffer.allocUnsafe(MAX_RECORDING_HEAD_BYTES)));
  if (!found) throw new DamagedRecording(`${name}: does not begin with the head of a recording`);
  return found;
}

/**
 * Reads events from the line that begins at `from`, as many as `memory` holds; `memory` can be reused afterwards. Stops
 * before a line that is no event: the tail, or a torn line.
 */
export function readEvents(fd: number, from: number, memory: Buffer): EventSlice {
  const { lines, isLast } = readLines(fd, from, memory);
  const slice: EventSlice = { events: [], next: undefined, end: from };
  let at = 0;
  while (at < lines.length) {
    const lineFeed = lines.indexOf(LF, at);
    const lineEnd = lineFeed === -1 ? lines.length : lineFeed;
    const isFollowed = lines[lineEnd - 1] === COMMA;
    const eventEnd = isFollowed ? lineEnd - 1 : lineEnd;
    if (lineEnd > at) {
      const event = parseEvent(lines.toString('utf8', at, eventEnd));
      if (!event) return slice;
      slice.events.push(event);
      slice.end = from + eventEnd;
    }
    at = lineEnd + 1;
  }
  if (!isLast) slice.next = from + at;
  return slice;
}

/**
 * Reads whole lines, each with its line feed except the file's last line; a line that is too long gets larger memory.
 */
function readLines(fd: number, from: number, memory: Buffer): { lines: Buffer; isLast: boolean } {
  const read = readBytes(fd, from, memory);
  const isLast = read.length < memory.length;
  if (isLast) return { lines: read, isLast };
  const length = read.lastIndexOf(LF) + 1;
  if (length > 0) return { lines: read.subarray(0, length), isLast };
  if (read.length > MAX_RECORDING_LINE_BYTES) return { lines: read.subarray(0, 0), isLast: true };
  return readLines(fd, from, Buffer.allocUnsafe(read.length * 2));
}

function readBytes(fd: number, from: number, memory: Buffer): Buffer {
  let read = 0;
  while (read < memory.length) {
    const more = readSync(fd, memory, read, memory.length - read, from + read);
    if (more === 0) break;
    read += more;
  }
  return memory.subarray(0, read);
}

function parseEvent(line: string): RecordingEvent | undefined {
  try {
    return RecordingEvent.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}
