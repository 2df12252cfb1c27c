import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICE_FLAGS } from '#dist/command/programs.js';
import { plist } from '#dist/command/service/plist.js';
import { canBeProgram, execLine } from '#dist/command/service/systemd-words.js';
import { hostUnit, SERVICE_UNIT, serviceUnit } from '#dist/command/service/units.js';
import { HOST_UNIT } from '#dist/workers/pty-host/client/host-command.js';
import { DEFINITION } from '../support/definition.js';
import { ODD_WORD } from '../support/odd-words.js';
import { findOnPath } from '../support/program-on-path.js';

/** Number of programs at odd paths that systemd looks for in one run. */
const PATHS = 60;

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'at-units-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const hasAnalyze = findOnPath('systemd-analyze') !== undefined;
const skipped = hasAnalyze ? '' : ' (skipped: systemd-analyze is not installed)';

describe.skipIf(!hasAnalyze)(`systemd${skipped}`, () => {
  /** Writes the units, and returns systemd's complaints about them. */
  function verified(units: Readonly<Record<string, string>>): string {
    const own = mkdtempSync(join(folder, 'units-'));
    const files = Object.entries(units).map(([name, text]) => {
      writeFileSync(join(own, name), text);
      return join(own, name);
    });
    const { status, stdout, stderr } = spawnSync(
      'systemd-analyze',
      ['--user', '--man=no', 'verify', ...files],
      {
        env: { PATH: process.env.PATH, HOME: own, XDG_RUNTIME_DIR: own },
        encoding: 'utf8',
      },
    );
    expect(status, stderr).not.toBeNull();
    return stdout + stderr + (status === 0 ? '' : `exit code ${status}`);
  }

  /** Makes a program at this path below the folder. */
  function programAt(...path: string[]): string {
    const place = join(folder, ...path);
    mkdirSync(join(place, '..'), { recursive: true });
    writeFileSync(place, '#!/bin/sh\n');
    chmodSync(place, 0o755);
    return place;
  }

  test('has nothing against the units, not even with odd folders and variables', () => {
    const odd = {
      ...DEFINITION,
      node: programAt('a b 50% $HOME é', 'node'),
      cli: '/o"d\'d/50%h\\$HOME\n;/cli.js',
      hostEntry: '/o"d\'d/50%h\\$HOME\n;/main.js',
      paths: { dataFolder: '/da ta %h', hostSocket: '/da ta %h/run/pty-host.sock' },
      env: { PATH: '/a b:/50%n:"\\', LANG: 'C.UTF-8' },
    };
    for (const definition of [{ ...DEFINITION, node: programAt('node') }, odd])
      expect(verified({ [HOST_UNIT]: hostUnit(definition), [SERVICE_UNIT]: serviceUnit(definition) })).toBe(
        '',
      );
  });

  test('says what is wrong with a unit, and so the test above can fail', () => {
    const definition = { ...DEFINITION, node: programAt('node') };
    const host = hostUnit(definition).replace('OOMPolicy=continue', 'OOMPolicy=nonsense');
    expect(verified({ [HOST_UNIT]: host })).toContain('nonsense');
    const service = serviceUnit({ ...definition, node: join(folder, 'nowhere') });
    expect(verified({ [HOST_UNIT]: hostUnit(definition), [SERVICE_UNIT]: service })).toContain('nowhere');
  });

  test('finds programs at odd paths', () => {
    const isName = (word: string) =>
      !word.includes('/') && !/^\.{1,2}$/.test(word) && canBeProgram(`/${word}`);
    const names = fc.sample(ODD_WORD.filter(isName), PATHS);
    const units = names.map((name, index) => {
      const program = programAt(`${index}`, name);
      return [`${index}.service`, `[Service]\nExecStart=${execLine([program])}\n`];
    });
    expect(verified(Object.fromEntries(units))).toBe('');
  });
});

test('Python reads the property list as it was meant', () => {
  const READER = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
  const read = (text: string) =>
    JSON.parse(execFileSync('python3', ['-c', READER], { input: text, encoding: 'utf8' })) as {
      EnvironmentVariables: Record<string, string>;
    };
  expect(read(plist(DEFINITION))).toEqual({
    Label: 'auto-terminal',
    ProgramArguments: ['/usr/bin/node', ...SERVICE_FLAGS, DEFINITION.cli, 'serve', '--managed-by', 'launchd'],
    EnvironmentVariables: DEFINITION.env,
    WorkingDirectory: '/',
    ...{ RunAtLoad: true, KeepAlive: { SuccessfulExit: false }, AbandonProcessGroup: true },
    ...{ ProcessType: 'Interactive', ExitTimeOut: 15 },
    SoftResourceLimits: { NumberOfFiles: 65_536 },
    StandardOutPath: '/home/me/.local/share/auto-terminal/service.log',
    StandardErrorPath: '/home/me/.local/share/auto-terminal/service.log',
  });
  const words = fc.sample(
    ODD_WORD.filter((word) => !/[\x01\x7f]/.test(word)),
    200,
  );
  const env = Object.fromEntries(words.map((word, index) => [`V${index}`, word]));
  expect(read(plist({ ...DEFINITION, env })).EnvironmentVariables).toEqual(env);
});
