import { gzipSync } from 'node:zlib';
import { clientBundle } from '../../test/support/client-bundle.js';
import type { Row } from '../report.js';

/** Most bytes that the client for pages may have, minified. */
const MAX_BYTES = 30_000;

/** Measures the size of the client for pages, in one file. */
export async function sdk(): Promise<Row[]> {
  const minified = Buffer.from(await clientBundle());
  return [
    {
      ...{ name: 'client for pages, minified', value: minified.length / 1e3, unit: 'kB' },
      target: { value: { max: MAX_BYTES / 1e3 } },
    },
    { name: 'client for pages, minified, gzip', value: gzipSync(minified).length / 1e3, unit: 'kB' },
  ];
}
