import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import wabt from 'wabt';
import { ESCAPE_CODE } from '#dist/workers/shard/escape-wasm.js';

const FILE = 'escape-json.wat';

test('the compiled code that escapes frames matches its source', async () => {
  const source = readFileSync(join(import.meta.dirname, '../../src/workers/shard', FILE), 'utf8');
  const { parseWat } = await wabt();
  const { buffer } = parseWat(FILE, source, { simd: true }).toBinary({});
  expect(ESCAPE_CODE.toString('base64')).toBe(Buffer.from(buffer).toString('base64'));
});
