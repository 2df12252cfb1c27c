import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Rules about colours; no other rule depends on the theme. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

/** The preferences of a person that select each theme, as the operating system reports them. */
const THEMES = {
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  light: { colorScheme: 'light', contrast: 'no-preference' },
  contrast: { colorScheme: 'dark', contrast: 'more' },
} as const;
const WIDTHS = [1280, 390];

/**
 * Expects that the page breaks no rule of axe, and none about colours in any theme, at the widths of a desktop and a phone; `draw` resolves
 * once the page is drawn.
 */
export async function expectAccessible(page: Page, draw: () => Promise<void>): Promise<void> {
  const found: unknown[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    await page.reload();
    await draw();
    // The player is in a frame, which axe checks only if it runs there, too.
    for (const frame of page.frames()) await frame.evaluate(axe);
    for (const [theme, media] of Object.entries(THEMES)) {
      await page.emulateMedia(media);
      await page.locator(`html[data-theme=${theme}]`).waitFor();
      const runOnly = theme === 'dark' ? RULES : { type: 'rule', values: COLOURS };
      const { violations } = await page.evaluate<AxeResults>(
        `axe.run(document, ${JSON.stringify({ runOnly })})`,
      );
      for (const { id, nodes } of violations)
        found.push({ theme, width, id, nodes: nodes.map(({ html }) => html) });
    }
  }
  expect(found).toEqual([]);
}
