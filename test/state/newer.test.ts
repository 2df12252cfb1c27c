import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FORMATS, type StatePart } from '#dist/config/state-formats.js';
import { VERSION } from '#dist/contract/version.js';
import { CLI } from '../support/cli.js';
import { unpack } from '../support/kept-state.js';
import { findHost } from '../support/processes.js';
import { runNode } from '../support/run-process.js';
import { startService } from '../support/service.js';

const ARCHIVE = new URL('../fixtures/state/1/state.tar.gz', import.meta.url).pathname;

let home: string;
beforeEach(async () => {
  home = await unpack(ARCHIVE);
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Every entry of a folder: name, mode, time of the last change, and bytes. */
function wholeOf(folder: string): Record<string, unknown> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const entryOf = (name: string) => {
    const { mode, mtimeNs } = lstatSync(join(folder, name), { bigint: true });
    const isFile = lstatSync(join(folder, name)).isFile();
    return [mode, mtimeNs, isFile ? readFileSync(join(folder, name)).toString('base64') : 'folder'];
  };
  return Object.fromEntries([['.', entryOf('.')], ...names.map((name) => [name, entryOf(name)])]);
}

const serve = () =>
  runNode([CLI, '--port', '0', '--dashboard-port', '0', '--no-mcp'], {
    env: { ...process.env, AUTO_TERMINAL_HOME: home },
  });

test.each([
  ['folder', 'this folder', ''],
  ['store', 'the store', '/store'],
  ['search', 'the search index', '/search'],
  ['recordings', 'the recordings', '/recordings'],
] as const)('a newer %s is refused in one line, and not a byte changes', async (part, name, place) => {
  const newer = { ...FORMATS, [part]: FORMATS[part] + 1 };
  await writeFile(join(home, 'data', 'formats.json'), JSON.stringify({ release: '9.8.7', formats: newer }));
  const before = wholeOf(home);
  const { code, stdout, stderr } = await serve();
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^auto-terminal: [^\n]+\n$/);
  const numbers = `in format ${newer[part]}, and this release (${VERSION}) reads formats up to ${FORMATS[part]}.`;
  expect(stderr).toContain(`${home}/data${place}: auto-terminal 9.8.7 wrote ${name} ${numbers}`);
  expect(stderr).toContain('Start 9.8.7 or later, or ');
  expect(wholeOf(home)).toEqual(before);
  expect(findHost(home)).toBeUndefined();
});

test('what the line says helps: a newer search index that was moved away is begun anew', async () => {
  const formats = { ...FORMATS, search: 2 } satisfies Record<StatePart, number>;
  await writeFile(join(home, 'data', 'formats.json'), JSON.stringify({ release: '9.8.7', formats }));
  await rm(join(home, 'data', 'search'), { recursive: true });
  const service = await startService({ home });
  await service.stop();
  expect(service.log()).not.toContain('damaged');
});
