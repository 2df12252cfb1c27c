import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';

const used = useDashboard();

test('a pill leads to what needs somebody out of view, until it is in view', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `row ${String(at).padStart(2, '0')}`);
  const { body } = await used.api.post<{ results: Array<{ terminal: { id: string } }> }>(
    '/api/terminals/batch/create',
    {
      terminals: names.map((name) => ({
        name,
        labels: { role: 'row' },
        command: ['sh', '-c', 'read line; exit 3'],
      })),
    },
  );
  const { id: last } = body.results.at(-1)!.terminal;
  const page = await used.open('/?q=role=row&sort=name&size=l');
  await page.locator('.link', { hasText: 'connected' }).waitFor();
  expect(await page.locator('.pill').count()).toBe(0);
  await used.api.post(`/api/terminals/${last}/input`, { data: '\x04' });
  await page.getByRole('button', { name: '1 needs you below' }).click();
  await page.locator(`[data-terminal="${last}"]`).getByText('exit 3').waitFor();
  await page.getByRole('button', { name: '1 needs you below' }).waitFor({ state: 'detached' });
  await page.context().close();
});
