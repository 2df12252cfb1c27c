// Scenarios of the official conformance suite (@modelcontextprotocol/conformance) without special tools.
import { createRequire } from 'node:module';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Sidecar, startSidecar } from '../support/mcp.js';
import { runNode } from '../support/run-process.js';

const require = createRequire(import.meta.url);
const SUITE = require.resolve('@modelcontextprotocol/conformance/dist/index.js');

/** Scenarios, with the number of checks that each makes. */
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
  // The suite also ends with 0 if it only warns, or checks nothing.
  expect(told).toContain(`Passed: ${checks}/${checks}, 0 failed, 0 warnings`);
  expect(code, told).toBe(0);
});
