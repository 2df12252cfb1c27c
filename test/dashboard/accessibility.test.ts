import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const THEMES = ['dark', 'light', 'contrast'] as const;
const WIDTHS = [1280, 390];
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

beforeAll(async () => {
  const bodies = ['working', 'idle', 'failed'].map((name) => ({ name, labels: { role: name } }));
  const { body } = await used.api.post<{ results: Array<{ terminal: { id: string } }> }>(
    '/api/terminals/batch/create',
    { terminals: bodies },
  );
  const ids = body.results.map((result) => result.terminal.id);
  await used.api.post('/api/terminals/batch/run', {
    terminalIds: [ids[2]],
    command: 'false',
  });
  await used.api.post(`/api/terminals/${ids[0]}/input`, { data: 'sleep 600\r' });
});

/** Pages, and what shows that they are drawn. */
const PAGES: ReadonlyArray<[path: string, ready: string]> = [
  ['/', '[role=gridcell]'],
  ['/needs', '[data-need]'],
  ['/search?q=false', 'h1'],
  ['/processes', 'td'],
  ['/recordings', 'h1'],
  ['/w', '.pane'],
  ['/canvas', '.react-flow__node'],
  ['/machines', 'td'],
  ['/settings', '.facts'],
  ['/nowhere', 'h1'],
];

describe.each(THEMES)('in the theme %s', (theme) => {
  test.for(PAGES)('%s breaks no rule of axe', async ([path, ready]) => {
    const page = await used.open(path);
    await page.evaluate(`localStorage.setItem('auto-terminal.theme', '${theme}')`);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await page.locator(ready).first().waitFor();
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResults>(
        `axe.run(document, { runOnly: ${JSON.stringify(RULES)} })`,
      );
      const told = violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
      expect({ width, told }).toEqual({ width, told: [] });
    }
    await page.context().close();
  });
});
