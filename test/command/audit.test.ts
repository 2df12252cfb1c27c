import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verbsAt } from '../support/command.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
const { run, out, create } = verbsAt(() => used.service.home);

test('audit prints what was done, also to a terminal that is gone, and verify what was changed', async () => {
  for (const verb of [['audit'], ['fleet', 'audit']])
    expect(await run(...verb)).toMatchObject({
      ...{ code: 0, stdout: '' },
      stderr: expect.stringContaining('auto-terminal config set audit.enabled true') as string,
    });
  expect(await out('audit', 'verify')).toMatch(/^log +whole: no lines\n$/);
  await out('config', 'set', 'audit.enabled', 'true');
  const id = await create('-n', 'builder', '--', 'cat');
  await out('close', 'builder');
  const actions = (text: string) =>
    text
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { action: string }).action]));
  expect(actions(await out('audit', '--terminal', id))).toEqual([
    'POST /api/terminals',
    'DELETE /api/terminals/:id',
  ]);
  expect(
    actions(await out('audit', '--terminal', id, '--action', 'DELETE', '--since', '2026-01-01')),
  ).toHaveLength(1);
  expect(await run('audit', '--by', 'user')).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await out('audit', '-o', 'table', '--terminal', id)).toMatch(
    /^\S+Z {2}\d+ {2}service +POST \/api\/terminals {2}term_.*\n.*\n$/,
  );
  expect(await run('audit', '-o', 'ids')).toMatchObject({ code: 2 });
  expect(await run('audit', '--terminal', 'nobody')).toMatchObject({ code: 3 });
  expect(await run('audit', '--since', 'yesterday')).toMatchObject({ code: 2 });
  const file = join(used.service.home, 'data/audit/000000000001.jsonl');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"status":200', '"status":299'));
  const { code, stdout, stderr } = await run('audit', 'verify');
  expect([code, stdout, stderr]).toEqual([
    1,
    expect.stringMatching(/^log +not whole after lines 1 to 2\n$/),
    expect.stringContaining('000000000001.jsonl, line 3: the line before it was changed'),
  ]);
});
