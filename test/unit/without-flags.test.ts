import { expect, test } from 'vitest';
import { type SettingFlag, withoutFlags } from '#dist/config/flags.js';

const ARGS = ['--port', '5001', '--no-mcp', '--mcp-port=5002', '--managed-by', 'systemd', '--port', '5003'];

test.each<[SettingFlag[], string[]]>([
  [[], ARGS],
  [['port'], ['--no-mcp', '--mcp-port=5002', '--managed-by', 'systemd']],
  [
    ['mcp-port', 'no-mcp'],
    ['--port', '5001', '--managed-by', 'systemd', '--port', '5003'],
  ],
  [
    ['port', 'mcp-port', 'dashboard-port', 'no-mcp'],
    ['--managed-by', 'systemd'],
  ],
])('arguments without %j', (flags, left) => {
  expect(withoutFlags(ARGS, new Set(flags))).toEqual(left);
});
