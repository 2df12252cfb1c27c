import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

async function terminal(): Promise<string> {
  const body = { cols: 100, rows: 30 };
  return (await used.api.post<{ id: string }>('/api/terminals', body)).body.id;
}

/** Opens the page of a terminal, and waits until it takes keys. */
async function opened(id: string): Promise<Page> {
  const page = await used.open(`/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  // The shell shows its prompt.
  await page
    .locator('.xterm-rows')
    .getByText(/[$#%>]/)
    .first()
    .waitFor();
  return page;
}

/** Waits for a row of the screen with exactly this text. */
const row = (page: Page, text: string) =>
  page.locator('.xterm-rows > div').getByText(text, { exact: true }).first().waitFor();

const PASTE = `(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.querySelector('.xterm-helper-textarea').dispatchEvent(event);
}`;

/** Counts the colours of a picture. */
const COLOURS = `async (png) => {
  const image = await createImageBitmap(new Blob([Uint8Array.from(atob(png), (byte) => byte.charCodeAt(0))]));
  const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  return new Set(new Uint32Array(data.buffer)).size;
}`;

test('two windows type into one terminal, and neither resizes it', async () => {
  const id = await terminal();
  const [one, two] = [await opened(id), await opened(id)];
  await one.keyboard.type('echo one $((40 + 2))\n');
  await row(one, 'one 42');
  await two.keyboard.type('echo two $((40 + 3))\n');
  for (const page of [one, two]) {
    await row(page, 'one 42');
    await row(page, 'two 43');
  }
  expect((await used.api.get(`/api/terminals/${id}/size`)).body).toEqual({ cols: 100, rows: 30 });
});

test('shows an underscore in each size of the text', async () => {
  const id = await terminal();
  await used.api.post('/api/terminals/batch/run', {
    ...{ terminalIds: [id], command: 'clear; printf "\\n________\\n\\n"', timeoutMs: 20_000 },
  });
  const page = await opened(id);
  const row = page.locator('.xterm-rows > div', { hasText: /^________/ }).first();
  const colours = async () => {
    const { x, y, height } = (await row.boundingBox())!;
    const clip = { x: x + 2, y: y + height / 2, width: 20, height: height / 2 + 2 };
    const png = (await page.screenshot({ clip })).toString('base64');
    return page.evaluate(`(${COLOURS})('${png}')`);
  };
  // The text is as large as the window allows; in some sizes the browser puts the line below the row.
  for (const width of [1_000, 1_100, 1_200, 1_280, 1_366]) {
    await page.setViewportSize({ width, height: 800 });
    await expect.poll(colours, { message: `${width} px` }).toBeGreaterThan(1);
  }
});

test('leads from a command to where it was typed, and from what is found to all output', async () => {
  const id = await terminal();
  const run = (command: string) =>
    used.api.post('/api/terminals/batch/run', { terminalIds: [id], command, timeoutMs: 20_000 });
  await run('echo a badger $((40 + 2))');
  await run('seq 200');
  const page = await opened(id);
  const shown = page.locator('.xterm-rows > div').getByText('a badger 42', { exact: true });
  await row(page, '200');
  expect(await shown.count()).toBe(0);
  const jump = page.getByRole('button', { name: 'Show echo a badger $((40 + 2)) in the terminal' });
  // The lines above the screen come a moment after the screen.
  await expect.poll(() => jump.click().then(() => shown.count())).toBe(1);
  await page.getByRole('button', { name: 'Find', exact: true }).click();
  await page.getByRole('searchbox', { name: 'Find in this terminal' }).fill('badger');
  await page.getByRole('link', { name: 'all output' }).click();
  await page.waitForURL((url) => url.pathname === '/search' && url.searchParams.get('terminal') === id);
  await page.locator('.hit-link').first().waitFor();
});

test('several lines are pasted only when a person confirms it, unless the program takes them as one', async () => {
  const page = await opened(await terminal());
  await page.keyboard.type('stty -echo; cat\n');
  await page.locator('.command', { hasText: 'cat' }).getByText('running').waitFor();
  await page.evaluate(`(${PASTE})('aaa\\nbbb\\nccc\\n')`);
  await page.getByRole('button', { name: /^Paste 4 lines/ }).click();
  await row(page, 'ccc');
});

test('what is typed while the service is away is refused, and the page goes on by itself', async () => {
  const page = await opened(await terminal());
  await used.restart(async () => {
    await page.getByText('what you type is not sent').waitFor();
    await page.keyboard.type('x');
    await page.getByText('Not sent: 1 key').waitFor();
  });
  await page.getByText('keys go to the terminal').waitFor();
  await page.keyboard.type('echo back $((40 + 2))\n');
  await row(page, 'back 42');
});

test('what was typed last reaches the terminal, though the window shows another page by then', async () => {
  const id = await terminal();
  const page = await opened(id);
  const go = join(used.service.home, 'go');
  await page.keyboard.type(
    `stty -echo -icanon; until [ -e ${go} ]; do sleep 0.05; done; head -c 2000000 | wc -c\n`,
  );
  await page.locator('.command').getByText('running').waitFor();
  await page.evaluate(`(${PASTE})('x'.repeat(2_000_000))`);
  await page.getByRole('button', { name: /^Paste/ }).click();
  await page.getByRole('link', { name: 'Search' }).click();
  await page.getByRole('heading', { name: 'Search' }).waitFor();
  await writeFile(go, '');
  await page.goBack();
  await row(page, '2000000');
});

test('shows a person who has scrolled up the same rows when the lines above the screen come', async () => {
  const id = await terminal();
  await used.api.post('/api/terminals/batch/run', {
    terminalIds: [id],
    command: 'seq 500',
    timeoutMs: 20_000,
  });
  const page = await used.open('/');
  let pass = () => {};
  const asked = new Promise<void>((resolve) => {
    pass = resolve;
  });
  await page.route('**/capture*', (route) => asked.then(() => route.continue()));
  await page.goto(`${used.url}/t/${id}`);
  await page.getByText('keys go to the terminal').waitFor();
  await page.keyboard.type('seq 600 700\n');
  await row(page, '700');
  const first = page.locator('.xterm-rows > div').first();
  const below = await first.textContent();
  await page.keyboard.press('Shift+PageUp');
  await expect.poll(() => first.textContent()).not.toBe(below);
  const read = await first.textContent();
  const sliderHeight = async () => (await page.locator('.xterm .vertical .slider').boundingBox())!.height;
  const height = await sliderHeight();
  pass();
  await expect.poll(sliderHeight).toBeLessThan(height);
  expect(await first.textContent()).toBe(read);
});
