// The variables of a sidecar that runs alone.
import { describe, expect, it } from 'vitest';
import { EnvironmentError, parentFrom, settingsFrom } from '#mcp/environment.js';

describe('the environment of the tool server', () => {
  it('has the documented defaults', () => {
    const defaults = {
      ...{ host: '127.0.0.1', port: 42_032, apiUrl: 'http://localhost:42031' },
      ...{ token: undefined, instanceId: undefined, sessionIdleMs: 3_600_000 },
      ...{ allowedOrigins: [], localUsers: 'own', dashboardPort: 0 },
    };
    expect(settingsFrom({})).toEqual(defaults);
    expect(parentFrom({})).toBeUndefined();
    // Shells and compose files unset a variable by making it empty.
    const names = ['MCP_PORT', 'MCP_HOST', 'AUTO_TERMINAL_API_URL', 'AUTO_TERMINAL_TOKEN', 'MCP_PARENT_PID'];
    const more = [
      'AUTO_TERMINAL_API_TOKEN',
      'AUTO_TERMINAL_INSTANCE_ID',
      'MCP_SESSION_IDLE_MS',
      'MCP_LOCAL_USERS',
    ];
    const empty = Object.fromEntries([...names, ...more].map((name) => [name, '']));
    expect(settingsFrom(empty)).toEqual(defaults);
    expect(parentFrom(empty)).toBeUndefined();
  });

  it.each([
    ['MCP_PORT', '0', { port: 0 }],
    ['MCP_PORT', '65535', { port: 65_535 }],
    ['MCP_HOST', '::1', { host: '::1' }],
    ['AUTO_TERMINAL_API_URL', 'http://127.0.0.1:5000', { apiUrl: 'http://127.0.0.1:5000' }],
    ['AUTO_TERMINAL_API_URL', 'https://terminals.example/', { apiUrl: 'https://terminals.example' }],
    ['AUTO_TERMINAL_TOKEN', 'abc', { token: 'abc' }],
    ['AUTO_TERMINAL_API_TOKEN', 'def', { token: 'def' }],
    ['AUTO_TERMINAL_INSTANCE_ID', 'one', { instanceId: 'one' }],
    ['MCP_SESSION_IDLE_MS', '1', { sessionIdleMs: 1 }],
    ['MCP_LOCAL_USERS', 'any', { localUsers: 'any' }],
  ])('takes %s=%s', (name, value, expected) => {
    expect(settingsFrom({ [name]: value })).toMatchObject(expected);
  });

  it('prefers AUTO_TERMINAL_TOKEN, and falls back on AUTO_TERMINAL_API_TOKEN if the first is empty', () => {
    const fallback = { AUTO_TERMINAL_API_TOKEN: 'fallback' };
    expect(settingsFrom({ AUTO_TERMINAL_TOKEN: 'preferred', ...fallback }).token).toBe('preferred');
    expect(settingsFrom({ AUTO_TERMINAL_TOKEN: '', ...fallback }).token).toBe('fallback');
  });

  it.each([
    ...['80', '1023', '65536', '-1', '42032.5', '0x1000', '4e4', ' 42032', 'http'].map((text) => [
      'MCP_PORT',
      text,
    ]),
    ...['localhost:42031', '42031', 'ftp://localhost', 'http://', '//localhost'].map((text) => [
      ...['AUTO_TERMINAL_API_URL', text],
    ]),
    ...['with space', 'with\nline', 'ümlaut', '\u0000'].flatMap((text) => [
      ...[
        ['AUTO_TERMINAL_TOKEN', text],
        ['AUTO_TERMINAL_API_TOKEN', text],
        ['AUTO_TERMINAL_INSTANCE_ID', text],
      ],
    ]),
    ...['0', '-1', '1.5', 'soon', '2147483648', '99999999999'].map((text) => ['MCP_SESSION_IDLE_MS', text]),
    ['MCP_LOCAL_USERS', 'everybody'],
  ])('refuses %s=%j with a message that names it', (name, value) => {
    const refused = () => settingsFrom({ [name!]: value });
    expect(refused).toThrow(EnvironmentError);
    expect(refused).toThrow(`${name}: must be`);
  });

  it('does not repeat a token that it refuses', () => {
    expect(() => settingsFrom({ AUTO_TERMINAL_TOKEN: 'secret with space' })).not.toThrow(/secret/);
  });

  it.each(['0', '-1', '1.5', 'init', '99999999999'])('refuses MCP_PARENT_PID=%s', (value) => {
    expect(() => parentFrom({ MCP_PARENT_PID: value })).toThrow('MCP_PARENT_PID: must be');
  });
});
