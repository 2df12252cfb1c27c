import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { SERVICE_FLAGS } from '../../src/command/programs.js';

const MODULE = new URL('../../dist/src/workers/heap-mode.js', import.meta.url).href;

/**
 * Works in a process that counts as unhurried, then in one that counts as busy. Prints the bytes of the young generation
 * after each. The flags apply to a whole process, so this takes one of its own.
 */
const SCRIPT = `
  import { getHeapSpaceStatistics } from 'node:v8';
  import { heapModeByLoad } from '${MODULE}';
  const clock = { cpu: 0, at: 0 };
  const choose = heapModeByLoad({ cpu: () => clock.cpu, now: () => clock.at });
  const youngBytes = (cores) => {
    clock.cpu += cores * 2_000;
    clock.at += 2_000;
    choose();
    let kept = [];
    for (let count = 0; count < 3_000_000; count++) {
      kept.push({ count });
      if (kept.length > 100_000) kept = kept.slice(50_000);
    }
    return getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space').space_size;
  };
  console.log(JSON.stringify([0.3, 1.5].map(youngBytes)));
`;

it('the young generation grows only in a process that is busy', async () => {
  const script = ['--input-type=module', '--eval', SCRIPT];
  const { stdout } = await promisify(execFile)(process.execPath, [...SERVICE_FLAGS, ...script]);
  const [unhurried, busy] = JSON.parse(stdout) as [number, number];
  expect(busy).toBeGreaterThan(2 * unhurried);
});
