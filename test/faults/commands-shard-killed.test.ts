import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { ShellTerminal } from '../support/commands.js';
import { createApi } from '../support/http.js';

/** Fewer deaths than a shard's restart budget per minute. */
const ROUNDS = 4;

let running: AppInProcess;
beforeAll(async () => {
  running = await startAppInProcess({ terminals: { shards: 1 } });
});
afterAll(() => running.stop());

it('shards that die while commands run lose none, double none, and the exit codes are right', async () => {
  const shell = await ShellTerminal.open(createApi(running.app.url));
  const kill = async () => (await running.app.terminals.shards).kill(0);
  const expected: [commandLine: string, exitCode: number, output: string][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const [ended, asking] = [
      `echo ended ${round}; (exit ${round})`,
      `read code_${round}; (exit $code_${round})`,
    ];
    await shell.run(ended);
    await shell.type(`${asking}\r`);
    const before = await shell.listed(asking);
    await kill();
    // The line is typed while no shard runs, in part before the next shard has reached it.
    await shell.type(`${20 + round}\r`);
    expect(await shell.ended(asking)).toMatchObject({ id: before.id, exitCode: 20 + round });
    expected.unshift([ended, round, `ended ${round}\n`]);
    expected.unshift([asking, 20 + round, `${20 + round}\n`]);
  }
  const { commands } = await shell.list();
  const outputs = await Promise.all(commands.map(async (command) => (await shell.output(command)).raw));
  const got = commands.map(({ commandLine, exitCode }, index) => [commandLine, exitCode, outputs[index]]);
  expect(got).toEqual(expected);
  expect(new Set(commands.map(({ id }) => id)).size).toBe(2 * ROUNDS);
  expect(running.fatal).toEqual([]);
});
