import { z } from 'zod';
import type { Codec } from './store.js';

/** A record on disk: the version of its shape and the value, as JSON, which any tool can read. */
const Envelope = z.object({ v: z.int().min(1), value: z.unknown() });

const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The result of reading a record: its value, or one line that says why there is none. */
export type Decoded<T> = { value: T } | { fault: string };

/** Returns the bytes of a record. */
export function encodeRecord<T>(codec: Codec<T>, value: T): Buffer {
  return Buffer.from(JSON.stringify({ v: codec.version, value }));
}

/** Reads a record that {@link encodeRecord} wrote, in this or an earlier version of the service; never throws. */
export function decodeRecord<T>(codec: Codec<T>, bytes: Uint8Array): Decoded<T> {
  const envelope = Envelope.safeParse(parseJson(bytes));
  if (!envelope.success) return { fault: 'is not a record' };
  const { v: version, value } = envelope.data;
  if (version > codec.version)
    return { fault: `has version ${version}, but ${codec.version} is the newest known version` };
  try {
    const parsed = codec.schema.safeParse(migrate(codec, version, value));
    if (parsed.success) return { value: parsed.data };
    return { fault: z.prettifyError(parsed.error) };
  } catch (error) {
    return { fault: `cannot be migrated from version ${version} to ${codec.version}: ${error}` };
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch {
    return undefined;
  }
}

function migrate(codec: Codec<unknown>, from: number, value: unknown): unknown {
  let migrated = value;
  for (let version = from; version < codec.version; version += 1) {
    const step = codec.migrations?.[version];
    if (!step) throw new Error(`there is no migration from version ${version}`);
    migrated = step(migrated);
  }
  return migrated;
}
