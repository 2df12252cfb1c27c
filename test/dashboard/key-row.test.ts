import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();
/** A phone, which alone shows the field for typing. */
const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };

test('the field for typing keeps its text until that is typed', async () => {
  const { id } = (await used.api.post<{ id: string }>('/api/terminals', {})).body;
  const content = async () =>
    (await used.api.get<{ content: string }>(`/api/terminals/${id}/capture`)).body.content;
  const page = await used.open(`/t/${id}`, PHONE);
  const field = page.getByRole('textbox', { name: 'Text to type into the terminal' });
  const shown = (text: string) => page.locator('.xterm-rows').getByText(text).first().waitFor();
  // The field is emptied a moment after Enter: a second Enter would be a line of its own.
  const enterUnlessTyped = async () => {
    const text = await field.inputValue();
    if (text !== '') await field.press('Enter');
    return text;
  };
  await field.fill('stty -echo; cat');
  // Until the terminal takes keys, the field keeps them.
  await expect.poll(enterUnlessTyped).toBe('');
  await page.locator('.command', { hasText: 'cat' }).getByText('running').waitFor({ state: 'attached' });

  await field.fill('one\ntwo');
  await field.press('Enter');
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(await field.inputValue()).toBe('one\ntwo');

  // A long line is asked for, too, and Enter must not come before it.
  await field.fill(`${'x'.repeat(40_000)}`);
  await field.press('Enter');
  await page.getByRole('button', { name: 'Cancel' }).click();
  const before = await content();
  await field.fill('after');
  await field.press('Enter');
  await shown('after');
  expect((await content()).trim()).toBe(`${before.trim()}\nafter`);

  await used.restart(async () => {
    await page.getByText('what you type is not sent').waitFor();
    await field.fill('kept');
    await field.press('Enter');
    // The newest such note: those of the first tries may still be shown.
    await page.getByText('The text is kept').last().waitFor();
    expect(await field.inputValue()).toBe('kept');
  });
  await expect.poll(enterUnlessTyped).toBe('');
  await shown('kept');
});
