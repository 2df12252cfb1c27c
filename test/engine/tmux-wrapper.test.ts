import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shellsAsSh, WrapperRig } from '../support/wrapped-programs.js';

const [shells, removeShells] = shellsAsSh();
let rig: WrapperRig;
beforeAll(async () => {
  rig = await WrapperRig.start();
});
afterAll(async () => {
  await rig.end();
  removeShells();
});

/** Returns a program that writes its name and its arguments to a file, each ended by NUL. */
function argumentsOf(file: string, args: string[] = []) {
  return { file, args: ['-e', WRITES_ARGUMENTS, '--', join(rig.folder, 'arguments'), ...args] };
}

const WRITES_ARGUMENTS = `
const { readFileSync, writeFileSync } = require('node:fs');
writeFileSync(process.argv[1], readFileSync('/proc/self/cmdline'));
`;

describe.each(shells)('a program under $name', ({ name, tools }) => {
  test('that exits reports every exit code, also those by which shells report signals', async () => {
    for (const code of [0, 1, 2, 77, 126, 127, 128, 129, 130, 137, 141, 143, 192, 254, 255]) {
      const run = await rig.sh(`exit ${code}`, tools);
      expect(await run.ended()).toEqual({ exitCode: code, signal: 0 });
      expect(run.output).toHaveLength(0);
      await rig.close(run);
    }
  });

  test('that is killed reports the signal', async () => {
    for (const [signal, number] of Object.entries({
      HUP: 1,
      QUIT: 3,
      ABRT: 6,
      KILL: 9,
      SEGV: 11,
      TERM: 15,
    })) {
      const run = await rig.sh(`printf dying; kill -${signal} $$`, tools);
      expect(await run.ended(), signal).toEqual({ exitCode: 0, signal: number });
      expect(run.text).toBe('dying');
      await rig.close(run);
    }
  });

  test('that is killed by SIGINT or SIGPIPE reports an exit code, as no shell distinguishes them', async () => {
    for (const [signal, exitCode] of Object.entries({ INT: 130, PIPE: 141 })) {
      const run = await rig.sh(`kill -${signal} $$`, tools);
      expect(await run.ended(), signal).toEqual({ exitCode, signal: 0 });
      await rig.close(run);
    }
  });

  test('may signal its whole group', async () => {
    for (const [signal, number] of Object.entries({ TERM: 15, USR1: 10, ALRM: 14, QUIT: 3 })) {
      const run = await rig.sh(`echo out; kill -${signal} 0; sleep 9`, tools);
      expect(await run.ended(), signal).toEqual({ exitCode: 0, signal: number });
      expect(run.text).toBe('out\r\n');
      await rig.close(run);
    }
  });

  test('is reported by its own pid, before anything that it prints', async () => {
    const run = await rig.sh('echo $$', tools);
    await run.ended();
    expect(run.text).toBe(`${run.pid}\r\n`);
    await rig.close(run);
  });

  test('loses none of its last output', async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\r\n`).join('');
    for (const count of [0, 1, 300, 12_000]) {
      for (let time = 0; time < 8; time += 1) {
        const run = await rig.sh(`seq 1 ${count}; kill -9 $$`, tools);
        expect(await run.ended()).toEqual({ exitCode: 0, signal: 9 });
        expect(run.text === lines(count), `all of ${count} lines`).toBe(true);
        await rig.close(run);
      }
    }
  });

  test('may be a script that names no interpreter; a missing script is reported', async () => {
    const file = join(rig.folder, `script-${name}`);
    writeFileSync(file, 'echo "script $1"; exit 3', { mode: 0o755 });
    const script = await rig.run({ file, args: ['a b'] }, tools);
    expect(await script.ended()).toEqual({ exitCode: 3, signal: 0 });
    expect(script.text).toBe('script a b\r\n');
    await rig.close(script);
    const gone = await rig.run({ file: '/gone/program' }, tools);
    expect((await gone.ended()).exitCode).toBe(127);
    expect(gone.text).toMatch(/auto-terminal.*\/gone\/program/);
    await rig.close(gone);
  });

  test('gets its arguments exactly, few or many', async () => {
    const odd = [
      '',
      ' ',
      "it's",
      '"',
      'a\nb\n',
      '\\',
      '\\n',
      '$HOME',
      '`x`',
      '#{pid}',
      '~',
      '*',
      ';',
      '%1',
      '-e',
      '!!',
    ];
    const cases = [
      ['--', ...odd, 'grüße 🎉', '\x01\x1b\x7f'],
      ['x'.repeat(131_000)],
      Array.from({ length: 5000 }, (_, index) => odd[index % odd.length]!.repeat(index % 3)),
      ['🎉'.repeat(32_000), "'".repeat(130_000), ...Array.from({ length: 20_000 }, () => 'ä')],
    ];
    for (const args of cases) {
      const program = argumentsOf('node', args);
      const run = await rig.run(program, tools);
      expect(await run.ended()).toEqual({ exitCode: 0, signal: 0 });
      const written = readFileSync(join(rig.folder, 'arguments'), 'utf8').split('\0').slice(0, -1);
      expect(written.join('\0') === ['node', ...program.args].join('\0')).toBe(true);
      await rig.close(run);
    }
  });
});
