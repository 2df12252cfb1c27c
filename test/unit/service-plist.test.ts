import { describe, expect, test } from 'vitest';
import { SERVICE_FLAGS } from '#dist/command/programs.js';
import { Launchd } from '#dist/command/service/launchd.js';
import { logEntry, plist } from '#dist/command/service/plist.js';
import { scriptOf } from '#dist/command/service/steps.js';
import { DEFINITION } from '../support/definition.js';

describe('the property list', () => {
  test('runs the service, starts it again unless it was stopped, and leaves the pty host alone', () => {
    const text = plist(DEFINITION);
    const args = ['/usr/bin/node', ...SERVICE_FLAGS, DEFINITION.cli, 'serve', '--managed-by', 'launchd'];
    expect(text).toContain(`<array>\n${args.map((arg) => `<string>${arg}</string>\n`).join('')}</array>`);
    expect(text).toContain('<key>KeepAlive</key>\n<dict>\n<key>SuccessfulExit</key>\n<false/>\n</dict>');
    expect(text).toContain('<key>AbandonProcessGroup</key>\n<true/>');
    expect(text).toContain('<key>ProcessType</key>\n<string>Interactive</string>');
    expect(text).toMatch(
      /<key>SoftResourceLimits<\/key>\n<dict>\n<key>NumberOfFiles<\/key>\n<integer>\d+<\/integer>/,
    );
    expect(text).toContain(logEntry(DEFINITION));
  });

  test('has its texts escaped', () => {
    expect(plist({ ...DEFINITION, env: { A: '<&>' } })).toContain(
      '<key>A</key>\n<string>&lt;&amp;&gt;</string>',
    );
  });

  test('is refused where XML has no form for a character', () => {
    expect(() => plist({ ...DEFINITION, env: { A: 'a\x01' } })).toThrow(/cannot have/);
  });
});

test('launchd is asked to read the list anew, to start the service, and to forget it', () => {
  const { signal } = new AbortController();
  const launchd = new Launchd({ env: {}, signal }, DEFINITION, 501);
  const [written, ...steps] = launchd.installSteps();
  const file = '/home/me/Library/LaunchAgents/auto-terminal.plist';
  expect(written).toEqual({ kind: 'write', path: file, text: plist(DEFINITION) });
  expect(scriptOf([...steps, ...launchd.startSteps()])).toBe(`launchctl bootout gui/501/auto-terminal || true
launchctl enable gui/501/auto-terminal
launchctl bootstrap gui/501 ${file} || true
launchctl kickstart gui/501/auto-terminal
`);
  expect(scriptOf(launchd.uninstallSteps())).toBe(
    `launchctl bootout gui/501/auto-terminal || true\nrm -f ${file}\n`,
  );
});
