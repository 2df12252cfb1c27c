import { expect, test } from 'vitest';
import { SettingsFile } from '#dist/contract/settings.js';
import { CreateTerminal } from '#dist/contract/terminal.js';
import { unknownKeys } from '#dist/contract/unknown-keys.js';

test.each([
  [{}, []],
  [{ network: { prot: 1, port: 0 }, netwrok: {} }, ['network.prot', 'netwrok']],
  [{ cliTypes: { mine: { submit: 'x', sbumit: 'y' } } }, ['cliTypes.mine.sbumit']],
  [{ network: null, mcp: [], terminals: 7 }, []],
  [[], []],
  [null, []],
])('of the settings %j: %j', (data, expected) => {
  expect(unknownKeys(SettingsFile, data)).toEqual(expected);
});

test('of the body that creates a terminal', () => {
  const body = { cols: 80, colls: 80, env: { ANY: 'x' }, labels: { any: 'x' }, constructor: 1 };
  expect(unknownKeys(CreateTerminal, body)).toEqual(['colls', 'constructor']);
  expect(unknownKeys(CreateTerminal.prefault({}), body)).toEqual(['colls', 'constructor']);
});

test('if many, are not all named', () => {
  const data = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${index}`, 1]));
  expect(unknownKeys(SettingsFile, data)).toHaveLength(20);
});
