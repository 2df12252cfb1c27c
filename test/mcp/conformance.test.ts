// The official conformance suite (@modelcontextprotocol/conformance), as far as it needs no tools of its own.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sidecar, startSidecar } from '../support/mcp.js';
import { runNode } from '../support/run-process.js';

const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js');

/** Scenarios and how many checks each of them makes. */
const SCENARIOS = [
  ['server-initialize', 1],
  ['ping', 1],
  ['tools-list', 1],
  ['server-sse-multiple-streams', 2],
  ['dns-rebinding-protection', 2],
] as const;

let sidecar: Sidecar;
beforeAll(async () => {
  sidecar = await startSidecar();
});
afterAll(() => sidecar.stop());

test.each(SCENARIOS)('the conformance suite passes: %s', async (scenario, checks) => {
  const { code, stdout, stderr } = await runNode([
    ...[SUITE, 'server', '--url', sidecar.url, '--scenario', scenario],
  ]);
  const told = `${stdout}\n${stderr}`;
  // It ends with 0 also when all that it has is warnings, or nothing was checked.
  expect(told).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`);
  expect(code, told).toBe(0);
});
