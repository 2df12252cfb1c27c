import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SERVICE_FLAGS } from '#dist/command/programs.js';
import { execLine, quotedValue } from '#dist/command/service/systemd-words.js';
import { hostUnit, serviceUnit } from '#dist/command/service/units.js';
import { hostArguments } from '#dist/workers/pty-host/client/host-command.js';
import { DEFINITION } from '../support/definition.js';
import { ODD_WORD } from '../support/odd-words.js';

/** The settings of a unit, by their sections. */
function settingsOf(unit: string): Record<string, string[]> {
  const sections: Record<string, string[]> = {};
  let name = '';
  for (const line of unit.split('\n')) {
    if (/^(#|$)/.test(line)) continue;
    const [, section] = /^\[(.+)\]$/.exec(line) ?? [];
    if (section !== undefined) name = section;
    else sections[name] = [...(sections[name] ?? []), line];
  }
  return sections;
}

/** Words as systemd.syntax(7) reads them: quotes, backslashes, and then percent signs. */
function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/"((?:\\.|[^"\\])*)"|([^\s"]+)/g)];
  expect(words.map(([word]) => word).join(' ')).toBe(line);
  return words.map(([, quoted, bare]) => {
    const text = (quoted ?? bare!).replace(/\\(?:x([0-9a-f]{2})|(.))/g, (_, hex: string, other: string) => {
      if (hex === undefined) expect(['"', '\\']).toContain(other);
      return hex === undefined ? other : String.fromCharCode(Number.parseInt(hex, 16));
    });
    expect(text.replaceAll('%%', '')).not.toContain('%');
    return text.replaceAll('%%', '%');
  });
}

describe('words', () => {
  test.each([
    ['plain', '"plain"'],
    ['a b', '"a b"'],
    ['50%', '"50%%"'],
    ['say "no"', '"say \\"no\\""'],
    ['C:\\new', '"C:\\\\new"'],
    ['one\ntwo\ttab', '"one\\x0atwo\\x09tab"'],
    ['$HOME', '"$HOME"'],
    ['é 🙂', '"é 🙂"'],
  ])('%j as a value is %s', (text, quoted) => {
    expect(quotedValue(text)).toBe(quoted);
  });

  test('arguments double the dollar sign, the program does not, and plain words have no quotes', () => {
    expect(execLine(['/opt/a$b/node', '/opt/a$b.js', '--port', '5', '', "it's"])).toBe(
      `"/opt/a$b/node" "/opt/a$$b.js" --port 5 "" "it's"`,
    );
  });

  test('are read back as they were, on one line', () => {
    fc.assert(
      fc.property(fc.array(ODD_WORD, { minLength: 1, maxLength: 5 }), (args) => {
        const line = execLine(['/usr/bin/node', ...args]);
        expect(line).not.toMatch(/[\x00-\x1f\x7f]/);
        const [program, ...read] = wordsOf(line);
        expect(read.join('').replaceAll('$$', '')).not.toContain('$');
        expect([program, ...read.map((word) => word.replaceAll('$$', '$'))]).toEqual([
          '/usr/bin/node',
          ...args,
        ]);
      }),
    );
  });
});

describe('units', () => {
  test('the host is a unit of its own, with the command line by which the service starts it', () => {
    const { Service, Install } = settingsOf(hostUnit(DEFINITION));
    const { dataFolder, hostSocket } = DEFINITION.paths;
    const args = hostArguments(DEFINITION.hostEntry, { socketPath: hostSocket, spillFolder: dataFolder });
    expect(args).toEqual(expect.arrayContaining([DEFINITION.hostEntry, hostSocket, dataFolder]));
    expect(Service).toContain(`ExecStart=/usr/bin/node ${args.join(' ')}`);
    expect(Service).toEqual(
      expect.arrayContaining(['Restart=no', 'OOMPolicy=continue', 'Delegate=yes', 'TasksMax=infinity']),
    );
    // The service's unit starts the host, so the host's unit has no Install section.
    expect(Install).toBeUndefined();
  });

  test('the service comes after the host, is restarted unless it was stopped, and a restart is a handover', () => {
    const { Unit, Service, Install } = settingsOf(serviceUnit(DEFINITION));
    const host = 'auto-terminal-host.service';
    expect(Unit).toEqual(expect.arrayContaining([`Wants=${host}`, `After=${host}`]));
    expect(Service).toEqual(
      expect.arrayContaining([
        `ExecStart=/usr/bin/node ${SERVICE_FLAGS.join(' ')} ${DEFINITION.cli} serve --managed-by systemd`,
        ...['Restart=on-failure', 'KillSignal=SIGTERM', 'RestartKillSignal=SIGUSR2', 'KillMode=mixed'],
      ]),
    );
    expect(Install).toEqual(['WantedBy=default.target']);
  });

  test('both have the variables, and neither leaves those of systemd to terminals', () => {
    const env = { PATH: '/a b:/50%', LANG: 'C.UTF-8' };
    for (const unit of [hostUnit, serviceUnit]) {
      const { Service } = settingsOf(unit({ ...DEFINITION, env }));
      expect(Service).toEqual(
        expect.arrayContaining(['Environment="PATH=/a b:/50%%"', 'Environment="LANG=C.UTF-8"']),
      );
      expect(Service!.find((line) => line.startsWith('UnsetEnvironment='))).toContain('INVOCATION_ID');
    }
  });

  test.each(['/opt/no"de', "/opt/it's/node", '/opt/a\\b/node', '/opt/a\nb/node', 'node'])(
    'a program that systemd cannot start is refused: %j',
    (node) => {
      for (const unit of [hostUnit, serviceUnit])
        expect(() => unit({ ...DEFINITION, node })).toThrow(/systemd starts no program/);
    },
  );
});
