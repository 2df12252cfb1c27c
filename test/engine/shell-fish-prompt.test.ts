import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { only, printedBy, useShells } from '../support/use-shells.js';

const start = useShells();

const CONFIG = '.config/fish/config.fish';
const PROMPT = `function fish_prompt --description mine\n    echo "own> "\nend\n`;

describe('the prompt of a fish', () => {
  it('is the user function, of which nothing of ours is saved', async () => {
    const session = await start('fish', { files: { [CONFIG]: PROMPT } });
    const before = printedBy(only(await session.run('functions fish_prompt')));
    expect(before).toContain('--description mine');
    await session.run('true');
    expect(printedBy(only(await session.run('functions fish_prompt')))).toBe(before);
    expect(only(await session.run('funcsave fish_prompt')).status).toBe('0');
    const saved = await readFile(join(session.home, '.config/fish/functions/fish_prompt.fish'), 'utf8');
    expect(saved).toContain('own> ');
    expect(saved).not.toContain('__at_');
  });

  it('that ends in a line feed stays on its line', async () => {
    const session = await start('fish', { files: { [CONFIG]: PROMPT } });
    session.type('echo typed');
    await session.until('it is echoed', (_marks, text) => text.includes('typed'));
    session.type('\r');
    const { text } = await session.prompt();
    expect(text.slice(text.indexOf('own> '))).not.toMatch(/^own>[^e]*\n/);
    expect(text).toContain('own> ');
  });

  it('is that of fish once the user has erased it', async () => {
    const session = await start('fish', { files: { [CONFIG]: PROMPT } });
    await session.run('functions -e fish_prompt');
    const ran = await session.run('false');
    expect([only(ran).status, ran.text.includes('own> ')]).toEqual(['1', false]);
    const more = await session.run('echo still');
    expect(printedBy(only(more))).toBe('still\n');
    expect(ran.text + more.text).not.toMatch(/__at_|does not exist|Unknown command/);
  });

  it('is drawn as it is on a terminal that can do nothing', async () => {
    const session = await start('fish', {
      env: { TERM: 'dumb' },
      files: { [CONFIG]: `${PROMPT}function fish_greeting; end\n` },
    });
    session.type('echo typed');
    await session.until('it is echoed', (_marks, text) => /typed$/.test(text));
    session.type('\r');
    const { text } = await session.prompt();
    expect(text.match(/^.*own> *echo typed/m)).not.toBeNull();
    expect(text).not.toMatch(/own> *ho/);
  });

  it('reports a status to the prompt, and to other functions that print one', async () => {
    const handlers = `function mine --on-event fish_prompt; echo "event $status"; end\n`;
    const prompt = `function fish_prompt; set -l s $status; echo "[$s|$pipestatus]"; end\n`;
    const session = await start('fish', { files: { [CONFIG]: handlers + prompt } });
    session.type('true | false\r');
    await session.prompt();
    await session.until('the prompt is drawn', (_marks, text) => text.includes('[1|'));
    // The output of the other handlers comes before the reported prompt.
    const ran = await session.run(`sh -c 'exit 7'`);
    expect([only(ran).status, only(ran).output.includes('event')]).toEqual(['7', false]);
    expect(ran.text).toContain('event 7');
  });
});

it('runs no function of the user named like a builtin that we call', async () => {
  const mine = 'function printf; echo "MINE printf $argv"; end\n';
  const files = {
    [CONFIG]: `function fish_prompt; end\n${mine}`,
  };
  const session = await start('fish', { files });
  const ran = await session.run('echo one; false');
  expect([printedBy(only(ran)).replaceAll(/^MINE printf .*\n/gm, ''), only(ran).status]).toEqual([
    'one\n',
    '1',
  ]);
  expect(ran.text).not.toMatch(/0123456789abcdef/);
});

it.each([
  ['zsh', 'ZDOTDIR'],
  ['bash', 'ENV'],
  ['fish', 'XDG_DATA_DIRS'],
])('a %s within it gets no unexported %s', async (inner, name) => {
  const config = `set -gu ${name} /nowhere\n`;
  const files = { [CONFIG]: config, '.zshenv': 'echo zshenv\n' };
  const session = await start('fish', { files });
  const started = await session.run(inner);
  if (inner === 'zsh') expect(started.text).toContain('zshenv');
  if (inner === 'fish') await session.run(`set -gq ${name}; and builtin echo ${name}`);
  const seen = only(await session.run('env')).output;
  expect(seen).not.toContain(`${name}=`);
  await session.run('exit');
  expect(only(await session.run(`set -S ${name}`)).output).toMatch(/unexported[\s\S]*\/nowhere/);
});
