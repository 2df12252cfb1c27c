import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { MAX_CHECKPOINT_BYTES, MAX_SCREEN_UNITS, MAX_WHOLE_UNITS } from '../../contract/limits.js';
import type { Screen } from './screen/screen.js';
import { drain, Pace, type Steps } from './steps.js';

/** First byte of a checkpoint: how the rest is packed. */
const PLAIN = 0;
const DEFLATED = 1;

/** Below this, deflating saves nothing worth its time; above the other bound it is always worth it. */
const DEFLATE_FROM_BYTES = 4 * 1024;
const DEFLATE_ALWAYS_FROM_BYTES = 512 * 1024;

/**
 * How much of the screen a checkpoint holds, from most to least; one that is too large for the pty host goes the
 * next way. `whole` has the scrollback, `screen` has not, the others are reductions of what shows.
 */
const DETAILS = ['whole', 'screen', 'text', 'letters', 'blank'] as const;
export type Detail = (typeof DETAILS)[number];

export interface PackOptions {
  /** The most to be tried. */
  detail: Detail;
  /** Pay about 2 ms for 100 KB to keep the pty host small; not worth it when the next one comes in a moment. */
  deflate: boolean;
}

export interface Packed {
  packed: Uint8Array;
  /** Bytes of the serialized screen with all the detail asked for; infinite when that was given up. */
  size: number;
  /** What fitted. */
  detail: Detail;
  /** It gives back all of the screen. */
  isExact: boolean;
}

/**
 * Packs what to feed a fresh screen so that the bytes after it continue right: the serialized screen and the
 * beginning of a sequence that is not finished yet. It has as much detail as fits into MAX_CHECKPOINT_BYTES: a
 * longer one would never be taken, and its terminal would stop with its log full. The screen must stay as it is
 * between the steps.
 */
export function* packSteps(screen: Screen, options: PackOptions): Steps<Packed> {
  const pending = screen.pending();
  let size: number | undefined;
  for (const detail of DETAILS.slice(DETAILS.indexOf(options.detail))) {
    const serialized = yield* serialize(screen, detail);
    const bytes = serialized && (yield* encode(serialized.parts, pending));
    size ??= bytes ? lengthOf(bytes) : Number.POSITIVE_INFINITY;
    if (!bytes) continue;
    const packed = yield* packParts(bytes, options.deflate || detail !== options.detail);
    const isExact = detail === 'whole' && serialized.losses.length === 0 && !screen.hasLinks;
    if (packed) return { packed, size, detail, isExact };
  }
  throw new Error('a blank screen does not fit into a checkpoint');
}

/** The same at once. */
export function packCheckpoint(screen: Screen, options: PackOptions): Packed {
  return drain(packSteps(screen, options));
}

function serialize(screen: Screen, detail: Detail): ReturnType<Screen['serializeSteps']> {
  if (detail === 'whole') return screen.serializeSteps({ scrollback: true }, MAX_WHOLE_UNITS);
  if (detail === 'screen') return screen.serializeSteps({ scrollback: false }, MAX_SCREEN_UNITS);
  return screen.reducedSteps(detail);
}

function* encode(parts: readonly string[], pending: Uint8Array): Steps<Uint8Array[]> {
  const bytes: Uint8Array[] = [];
  const pace = new Pace();
  for (const part of parts) {
    bytes.push(Buffer.from(part, 'utf8'));
    if (pace.isOver(part.length)) yield;
  }
  return [...bytes, pending];
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

/** Undefined when it is longer than a checkpoint may be. */
function* packParts(parts: readonly Uint8Array[], deflate: boolean): Steps<Uint8Array | undefined> {
  const length = lengthOf(parts);
  if (length < DEFLATE_ALWAYS_FROM_BYTES) return pack(Buffer.concat(parts), deflate);
  const packed: Uint8Array[] = [Buffer.of(DEFLATED)];
  let packedLength = 1;
  for (const part of parts) {
    // Parts end on a byte, so that all of them with an end are one stream.
    const deflated = deflateRawSync(part, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
    packed.push(deflated);
    packedLength += deflated.length;
    if (packedLength > MAX_CHECKPOINT_BYTES) return undefined;
    yield;
  }
  return Buffer.concat([...packed, deflateRawSync(Buffer.alloc(0))]);
}

/** Packs such text as is short. */
export function packText(text: string): Uint8Array {
  return Buffer.concat([Buffer.of(PLAIN), Buffer.from(text, 'utf8')]);
}

/** Packs output as it is: what a screen is made of that nobody has needed yet. */
export function packOutput(parts: readonly Uint8Array[]): Uint8Array {
  return pack(Buffer.concat(parts), true);
}

function pack(bytes: Buffer, deflate: boolean): Uint8Array {
  return bytes.length >= (deflate ? DEFLATE_FROM_BYTES : DEFLATE_ALWAYS_FROM_BYTES)
    ? Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { level: 1 })])
    : Buffer.concat([Buffer.of(PLAIN), bytes]);
}

/** What {@link packCheckpoint} packed, ready to be fed. Empty before a terminal's first checkpoint. */
export function unpackCheckpoint(packed: Uint8Array): Uint8Array {
  switch (packed[0]) {
    case undefined:
      return packed;
    case PLAIN:
      return packed.subarray(1);
    case DEFLATED:
      return inflateRawSync(packed.subarray(1));
    default:
      throw new Error(`unknown checkpoint packing ${packed[0]}`);
  }
}
