import { z } from 'zod';
import { MAX_RECORDING_HEAD_BYTES } from '../contract/limits.js';
import { RecordingFacts } from '../contract/recording.js';

/** Progress of a running recording. */
export const RecordingJournal = z.object({
  /** Position in the terminal's output up to which the output is in the file, except for `pending`. */
  position: z.int().min(0),
  /** The bytes just before `position` that are not in the file, as hexadecimal: the beginning of a character. */
  pending: z.string().regex(/^([0-9a-f]{2})*$/),
  /**
   * Timestamp of the last byte of `pending`; null if all of it came before the recording. Older releases do not write it.
   */
  pending_at: z.int().min(0).nullable().optional(),
  /** Bytes of the file that this head describes; the next event goes there. */
  length: z.int().min(0),
  /** Timestamp of the last event. */
  timestamp: z.int().min(0),
  /** Size of the terminal at `position`. */
  cols: z.int(),
  rows: z.int(),
  /**
   * Of the resizes at `position` that the next replay brings, the number that are in the file, or were before its
   * beginning. Older releases do not write it.
   */
  resizes: z.int().min(0).optional(),
});
export type RecordingJournal = z.infer<typeof RecordingJournal>;

/** All of a recording's file but its events. Only the head of a running recording has a journal. */
export const RecordingHead = RecordingFacts.extend({ journal: RecordingJournal.optional() });
export type RecordingHead = z.infer<typeof RecordingHead>;

/** Ends the head. It cannot occur within a string of the head, where its quotes would be escaped. */
const EVENTS = '"events":[';

/** The head's width is rounded up to a multiple of this. */
const WIDTH_STEP_BYTES = 256;

/**
 * Returns the head as the beginning of the file's JSON object, up to and including the bracket that opens the events.
 * It is padded with blanks to `width` bytes: the width of the first head, into which every later head of this recording
 * fits.
 */
export function encodeHead(head: RecordingHead, width = widthOf(head)): string {
  const object = `${JSON.stringify(head).slice(0, -1)},`;
  return object + ' '.repeat(width - Buffer.byteLength(object) - EVENTS.length) + EVENTS;
}

/** Parses an {@link encodeHead} at the beginning of `bytes`; returns undefined when there is no such head. */
export function decodeHead(bytes: Uint8Array): { head: RecordingHead; width: number } | undefined {
  const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(EVENTS);
  if (at === -1) return undefined;
  const text = Buffer.from(bytes.subarray(0, at)).toString('utf8').trimEnd();
  const head = RecordingHead.safeParse(parseOr(`${text.slice(0, -1)}}`)).data;
  return head && { head, width: at + EVENTS.length };
}

/** Returns the width of the longest form that this head may take. Throws if that exceeds the maximum. */
function widthOf(head: RecordingHead): number {
  const number = Number.MAX_SAFE_INTEGER;
  const longest: RecordingHead = {
    ...head,
    end_time: '+275760-09-13T00:00:00.000Z',
    truncated: true,
    size: number,
    event_count: number,
    journal: {
      ...{ position: number, length: number, timestamp: number, cols: number, rows: number, resizes: number },
      pending_at: number,
      pending: '00'.repeat(3),
    },
  };
  const bytes = Buffer.byteLength(JSON.stringify(longest)) + EVENTS.length;
  const width = Math.ceil(bytes / WIDTH_STEP_BYTES) * WIDTH_STEP_BYTES;
  if (width > MAX_RECORDING_HEAD_BYTES) throw new Error(`the head of a recording takes ${width} bytes`);
  return width;
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
