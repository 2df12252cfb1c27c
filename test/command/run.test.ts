import { describe, expect, test } from 'vitest';
import { useOuters } from '../support/attach-rig.js';
import { verbsAt } from '../support/command.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const { run, out } = verbsAt(() => used.service.home);
const openOuter = useOuters();

/** Programs that cannot be run, and the code with which docker ends for such a one. */
const NOT_RUN: [args: string[], code: number][] = [
  [['-C', '/nope', '--', 'true'], 125],
  [['--', '/etc'], 126],
  [['--', '/etc/passwd'], 126],
  [['--', 'no-such-program'], 127],
  [['--', '/no/such/program'], 127],
];

describe('a program that cannot be run', () => {
  test.each(NOT_RUN)('run %j ends with %i through a pipe', async (args, code) => {
    expect((await run('run', ...args)).code).toBe(code);
  });

  test.each(NOT_RUN)('run %j ends with %i on a terminal', async (args, code) => {
    const outer = openOuter();
    outer.command(used.service.home, ['run', ...args]);
    await outer.shows(/^code \d/m);
    expect(outer.rows.join('\n')).toMatch(new RegExp(`^code ${code}$`, 'm'));
    expect(await out('ls', '-q')).toBe('');
  });

  test('run -d ends with the same code', async () => {
    expect((await run('run', '-d', '--', 'no-such-program')).code).toBe(127);
  });
});
