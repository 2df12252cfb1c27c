import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Cleanup } from '../../bench/support/cleanup.js';
import { cpuOfChildren, nodeProgram } from '../../bench/support/our-command.js';

const BYTES = 100e6;
/** Fills memory, works for a while, and prints the CPU seconds that it has used. */
const PROGRAM = `
const filled = Buffer.alloc(${BYTES}, 1);
while (process.cpuUsage().user < 400_000) Math.sqrt(filled.length);
const { user, system } = process.cpuUsage();
console.log((user + system) / 1e6);
console.error('done');
process.exitCode = 3;`;

it('a program of the bench is reported with its end, its peak memory and its processor time', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'at-our-command-'));
  const cleanup = new Cleanup();
  try {
    const output = join(folder, 'output');
    const { result, cpu } = await cpuOfChildren(() => nodeProgram(cleanup, ['-e', PROGRAM], output));
    expect(result).toMatchObject({ code: 3, stderr: 'done\n' });
    expect(result.peakBytes).toBeGreaterThan(BYTES);
    const used = Number(await readFile(output, 'utf8'));
    expect(used).toBeGreaterThan(0.4);
    // CPU time comes in steps of 10 ms for each of user and system.
    expect(cpu).toBeGreaterThan(used - 0.03);
    expect(result.seconds).toBeGreaterThan(0);
  } finally {
    await cleanup.run();
    await rm(folder, { recursive: true });
  }
});
