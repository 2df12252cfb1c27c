import { describe, expect, it } from 'vitest';
import { only, printedBy, useShells } from '../support/use-shells.js';

const start = useShells();

/** Resolves with XDG_DATA_DIRS in a fish with this configuration, and in the programs that this fish starts. */
async function foldersOf(conf: string, env: Record<string, string>) {
  const session = await start('fish', { env, files: { '.config/fish/conf.d/mine.fish': conf } });
  const shown = printedBy(
    only(await session.run('set -q XDG_DATA_DIRS; and echo "$XDG_DATA_DIRS"; or echo unset')),
  );
  const passed = printedBy(only(await session.run(`sh -c 'echo "\${XDG_DATA_DIRS-unset}"'`)));
  return [shown, passed].map((text) => text.trim());
}

describe('XDG_DATA_DIRS, by which fish finds our script', () => {
  it.each<[string, string, Record<string, string>, string]>([
    ['is unset where it was', '', {}, 'unset'],
    ['is as it was', '', { XDG_DATA_DIRS: '/a b:/usr/share' }, '/a b:/usr/share'],
    ['is empty where it was', '', { XDG_DATA_DIRS: '' }, ''],
    ['is what conf.d has set', 'set -gx XDG_DATA_DIRS /opt/mine:/x', {}, '/opt/mine:/x'],
    [
      'has what conf.d has put in front',
      'set -gx XDG_DATA_DIRS "/opt/mine:$XDG_DATA_DIRS"',
      { XDG_DATA_DIRS: '/a:/b' },
      '/opt/mine:/a:/b',
    ],
    [
      'has what conf.d has put behind',
      'set -gx XDG_DATA_DIRS "$XDG_DATA_DIRS:/opt/mine"',
      { XDG_DATA_DIRS: '/a:/b' },
      '/a:/b:/opt/mine',
    ],
    [
      'has what conf.d has put into its list',
      'set -gx --path XDG_DATA_DIRS $XDG_DATA_DIRS; set -p XDG_DATA_DIRS /opt/mine',
      { XDG_DATA_DIRS: '/a:/b' },
      '/opt/mine:/a:/b',
    ],
    [
      'is as it was where conf.d has made it a list',
      'set -gx --path XDG_DATA_DIRS $XDG_DATA_DIRS',
      { XDG_DATA_DIRS: '/a:/b' },
      '/a:/b',
    ],
    ['is gone where conf.d has unset it', 'set -e XDG_DATA_DIRS', { XDG_DATA_DIRS: '/a:/b' }, 'unset'],
  ])('%s', async (_what, conf, env, folders) => {
    expect(await foldersOf(conf, env)).toEqual([folders, folders]);
  });
});

it('a refused line that ends with an abbreviation leaves the draft as it was', async () => {
  const session = await start('fish', {
    files: { '.config/fish/config.fish': 'abbr -a myabbr "echo mine"' },
  });
  session.type('echo draft');
  const ran = await session.runByKey('end; myabbr');
  expect([ran.commands, /'end' outside|Unexpected/.test(ran.text)]).toEqual([[], true]);
  session.type('ed');
  await session.key('Q');
  expect(only(await session.run('')).line).toBe('echo drafted');
});
