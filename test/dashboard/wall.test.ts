import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

interface Created {
  results: Array<{ terminal: { id: string; name: string } }>;
}

const ids = new Map<string, string>();
beforeAll(async () => {
  const names = ['plain', 'colour', 'failing', 'quiet'];
  const { body } = await used.api.post<Created>('/api/terminals/batch/create', {
    terminals: names.map((name) => ({ name, labels: { role: name }, cols: 80, rows: 20 })),
  });
  for (const { terminal } of body.results) ids.set(terminal.name, terminal.id);
  await run('plain', 'seq 40');
  await run(
    'colour',
    String.raw`for i in 1 2 3 4 5 6 7; do printf '\033[3%dm\033[4%dmcolour %d \033[0m 日本\n' $i $((7 - i)) $i; done`,
  );
  await run('failing', '(exit 3)');
  await run('quiet', 'true');
});

const run = (name: string, command: string) =>
  used.api.post('/api/terminals/batch/run', { terminalIds: [ids.get(name)], command });

const tile = (page: Page, name: string) => page.locator(`[data-terminal="${ids.get(name)}"]`);

/** Returns the canvas as a data URL; empty while the canvas shows no text, which takes more than two colours. */
const PICTURE = `(canvas) => {
  const { width, height } = canvas;
  const pixels = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, width, height).data.buffer);
  return new Set(pixels).size > 2 ? canvas.toDataURL() : '';
}`;

async function picture(page: Page, name: string): Promise<string> {
  await tile(page, name).locator('canvas').waitFor();
  const canvas = `document.querySelector('[data-terminal="${ids.get(name)}"] canvas')`;
  return page.evaluate<string>(`(${PICTURE})(${canvas})`);
}

/** Resolves with the picture of a terminal whose command has ended, once drawn: the screen is drawn as a whole. */
async function drawn(page: Page, name: string): Promise<string> {
  await expect.poll(() => picture(page, name)).not.toBe('');
  return picture(page, name);
}

const focused = (page: Page) =>
  page.evaluate<string | null>(`document.activeElement?.getAttribute('data-terminal')`);

describe('the wall', () => {
  test('shows each terminal with what it does and how its last command has ended', async () => {
    const page = await used.open('/');
    await tile(page, 'failing').getByText('exit 3', { exact: true }).waitFor();
    await page.getByRole('gridcell', { name: /^failed failing .*exit 3$/ }).waitFor();
    await page.getByRole('gridcell', { name: /^idle quiet/ }).waitFor();
    await page.context().close();
  });

  test('shows what happens without being asked', async () => {
    const page = await used.open('/?sort=name');
    const before = await drawn(page, 'quiet');
    await run('quiet', 'echo something; (exit 7)');
    await tile(page, 'quiet').getByText('exit 7', { exact: true }).waitFor();
    await expect.poll(() => picture(page, 'quiet')).not.toBe(before);
    await tile(page, 'quiet').locator('.sparkline path[d^=M]').waitFor({ state: 'attached' });
    const { body } = await used.api.post<{ id: string }>('/api/terminals', { name: 'new one' });
    await page.locator(`[data-terminal="${body.id}"]`).waitFor();
    await used.api.delete(`/api/terminals/${body.id}`);
    await page.locator(`[data-terminal="${body.id}"]`).waitFor({ state: 'detached' });
    await page.context().close();
  });

  test('filters by labels, status and words, and says so in its address', async () => {
    const page = await used.open('/');
    await tile(page, 'plain').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('role=colour');
    await tile(page, 'plain').waitFor({ state: 'detached' });
    expect(await page.locator('[data-terminal]').count()).toBe(1);
    expect(new URL(page.url()).searchParams.get('q')).toBe('role=colour');
    await page.reload();
    await tile(page, 'colour').waitFor();
    expect(await page.locator('[data-terminal]').count()).toBe(1);
    await page.context().close();
  });

  test('is the same wall after a kill of the service, without a reload', async () => {
    const page = await used.open('/?sort=name');
    await page.evaluate('window.isSamePage = true');
    const pictures = async (of: Page) => [await drawn(of, 'plain'), await drawn(of, 'colour')];
    const before = await pictures(page);
    await page.locator('.link', { hasText: 'connected' }).waitFor();
    await used.restart();
    await page.locator('.link', { hasText: 'connected' }).waitFor();
    expect(await pictures(page)).toEqual(before);
    // The picture is not an old picture: it changes into the picture that a new page shows.
    await run('plain', 'echo after; (exit 5)');
    await tile(page, 'plain').getByText('exit 5', { exact: true }).waitFor();
    await expect.poll(() => picture(page, 'plain')).not.toBe(before[0]);
    const fresh = await used.open('/?sort=name');
    const wanted = await pictures(fresh);
    await expect.poll(() => pictures(page)).toEqual(wanted);
    expect(wanted[1]).toBe(before[1]);
    await fresh.context().close();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    await page.context().close();
  });

  test('can be used by keys alone', async () => {
    const page = await used.open('/?sort=name');
    await tile(page, 'colour').waitFor();
    await page.keyboard.press('Tab');
    await tile(page, 'colour').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => focused(page)).toBe(ids.get('failing'));
    await page.keyboard.press('Space');
    await page.getByRole('dialog', { name: 'failing' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    await page.context().close();
  });
});
