import { constants, deflateRawSync, inflateRawSync } from 'node:zlib';
import { MAX_CHECKPOINT_BYTES, MAX_SCREEN_UNITS, MAX_WHOLE_UNITS } from '../../contract/limits.js';
import type { Screen } from './screen/screen.js';
import { drain, Pace, type Steps } from './steps.js';

/** First byte of a checkpoint: how the remainder is packed. */
const PLAIN = 0;
const DEFLATED = 1;

/** Below the first bound, deflating is not worth its time; from the second on it always is. */
const DEFLATE_FROM_BYTES = 4 * 1024;
const DEFLATE_ALWAYS_FROM_BYTES = 512 * 1024;

/**
 * How much of the screen a checkpoint holds, from most to least. If a checkpoint is too large for the pty host, the
 * next detail is tried. `whole` includes the scrollback, `screen` does not, the others reduce the visible screen.
 */
const DETAILS = ['whole', 'screen', 'text', 'letters', 'blank'] as const;
export type Detail = (typeof DETAILS)[number];

export interface PackOptions {
  /** Most detail to try. */
  detail: Detail;
  /** Spend about 2 ms per 100 KB to keep the pty host small; not worth it if the next checkpoint follows soon. */
  deflate: boolean;
}

export interface Packed {
  packed: Uint8Array;
  /** Bytes of the screen serialized with the requested detail; infinite if it was too long to serialize. */
  size: number;
  /** Detail that fitted. */
  detail: Detail;
  /** Whether the checkpoint reproduces the whole screen. */
  isExact: boolean;
}

/**
 * Packs the bytes to feed a fresh screen so that later output continues correctly: the serialized screen and the
 * beginning of an unfinished sequence. It has as much detail as fits into MAX_CHECKPOINT_BYTES: the pty host would
 * never accept a longer checkpoint, and the terminal would block with its log full. The screen must not change between
 * the steps.
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

/** Packs a checkpoint as `packSteps` does, all at once. */
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

/** Packs the parts; returns undefined when the result is longer than a checkpoint may be. */
function* packParts(parts: readonly Uint8Array[], deflate: boolean): Steps<Uint8Array | undefined> {
  const length = lengthOf(parts);
  if (length < DEFLATE_ALWAYS_FROM_BYTES) return pack(Buffer.concat(parts), deflate);
  const packed: Uint8Array[] = [Buffer.of(DEFLATED)];
  let packedLength = 1;
  for (const part of parts) {
    // A sync flush ends each part on a byte boundary, so that the parts and a final block form one deflate stream.
    const deflated = deflateRawSync(part, { level: 1, finishFlush: constants.Z_SYNC_FLUSH });
    packed.push(deflated);
    packedLength += deflated.length;
    if (packedLength > MAX_CHECKPOINT_BYTES) return undefined;
    yield;
  }
  return Buffer.concat([...packed, deflateRawSync(Buffer.alloc(0))]);
}

/** Packs a short text. */
export function packText(text: string): Uint8Array {
  return Buffer.concat([Buffer.of(PLAIN), Buffer.from(text, 'utf8')]);
}

/** Packs unparsed output that makes up a screen which nothing has needed yet. */
export function packOutput(parts: readonly Uint8Array[]): Uint8Array {
  return pack(Buffer.concat(parts), true);
}

function pack(bytes: Buffer, deflate: boolean): Uint8Array {
  return bytes.length >= (deflate ? DEFLATE_FROM_BYTES : DEFLATE_ALWAYS_FROM_BYTES)
    ? Buffer.concat([Buffer.of(DEFLATED), deflateRawSync(bytes, { level: 1 })])
    : Buffer.concat([Buffer.of(PLAIN), bytes]);
}

/** Returns the bytes that {@link packCheckpoint} packed, ready to feed; empty before a terminal's first checkpoint. */
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
