import { escapeInto, MAX_ESCAPED_BYTES } from './escape-json.js';

/** Compiled form of escape-json.wat. */
export const ESCAPE_CODE = Buffer.from(
  'AGFzbQEAAAABCAFgA39/fwF/AggBAWEBbQIAAQMCAQAHCgEGZXNjYXBlAAAKzgEBywECAXsCfwJAA0AgAEEQaiABSw0BIAIgAP0ABAAiA/0LBAAg' +
    'A0Eg/Q/9JiADQSL9D/0jIANB3AD9D/0j/VD9UP1kIQQgBEUEQCAAQRBqIQAgAkEQaiECDAELIARoIQQgACAEaiEAIAIgBGohAiAALQAAQQN0IQUg' +
    'AiAFKQMANwMAIAIgBS0AB2ohAiAAQQFqIQAMAAsLAkADQCAAIAFPDQEgAC0AAEEDdCEFIAIgBSkDADcDACACIAUtAAdqIQIgAEEBaiEADAALCyAC' +
    'Cw==',
  'base64',
);

const PAGE_BYTES = 64 * 1024;

/** Bytes of a table entry: the escaped form of a byte, and its length in the last byte of the entry. */
const ENTRY_BYTES = 8;
const TABLE_BYTES = 256 * ENTRY_BYTES;

/** Bytes escaped at once, which are first copied into the memory of the code. */
const SOURCE_BYTES = 64 * 1024;

/** Most bytes that the code writes past the end. */
const OVERRUN_BYTES = 16;

/** The part of WebAssembly that is used here, since the types of Node leave it out. */
interface WasmApi {
  validate(code: Uint8Array): boolean;
  Memory: new (size: { initial: number }) => WasmMemory;
  Module: new (code: Uint8Array) => object;
  Instance: new (module: object, imports: { a: { m: WasmMemory } }) => { exports: WasmExports };
}
interface WasmMemory {
  readonly buffer: ArrayBuffer;
}
interface WasmExports {
  escape(source: number, sourceEnd: number, target: number): number;
}

/** Memory to write to, and how to escape into it. */
export interface Escaper {
  memory: Buffer;
  /** Works as {@link escapeInto}, with `memory` as its target. */
  escape: (source: Uint8Array, at: number) => number;
}

/** Returns an escaper in plain JavaScript, with memory of this size. */
export function plainEscaper(bytes: number): Escaper {
  const memory = Buffer.from(new ArrayBuffer(bytes));
  return { memory, escape: (source, at) => escapeInto(source, memory, at) };
}

/**
 * Returns an escaper in WebAssembly, which takes a half to a fifth of the time, or in plain JavaScript where
 * WebAssembly cannot run: with `--jitless`, without SIMD, or with too little address space.
 */
export function fastEscaper(bytes: number): Escaper {
  const { WebAssembly: wasm } = globalThis as { WebAssembly?: WasmApi };
  if (!wasm?.validate(ESCAPE_CODE)) return plainEscaper(bytes);
  const begin = TABLE_BYTES + SOURCE_BYTES;
  const linear = reserve(wasm, begin + bytes + OVERRUN_BYTES);
  if (!linear) return plainEscaper(bytes);
  const { exports } = new wasm.Instance(new wasm.Module(ESCAPE_CODE), { a: { m: linear } });
  const input = Buffer.from(linear.buffer, 0, begin);
  fillTable(input);
  return {
    memory: Buffer.from(linear.buffer, begin, bytes),
    escape: (source, at) => {
      let end = begin + at;
      for (let from = 0; from < source.length; from += SOURCE_BYTES) {
        const slice = source.subarray(from, from + SOURCE_BYTES);
        input.set(slice, TABLE_BYTES);
        end = exports.escape(TABLE_BYTES, TABLE_BYTES + slice.length, end);
      }
      return end - begin;
    },
  };
}

/** Returns undefined if there is no room: V8 reserves 8 GiB of addresses, more than `ulimit -v` may allow. */
function reserve(wasm: WasmApi, bytes: number): WasmMemory | undefined {
  try {
    return new wasm.Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function fillTable(table: Buffer): void {
  const byte = new Uint8Array(1);
  const escaped = new Uint8Array(MAX_ESCAPED_BYTES);
  for (let value = 0; value < 256; value++) {
    byte[0] = value;
    const length = escapeInto(byte, escaped, 0);
    table.set(escaped, value * ENTRY_BYTES);
    table[value * ENTRY_BYTES + ENTRY_BYTES - 1] = length;
  }
}
