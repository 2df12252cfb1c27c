import { expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';
import { eventually } from '../support/processes.js';

const used = useDashboard();

interface Listed {
  terminals: Array<{ name: string; command: { commandLine: string; endedAt: number | null } | null }>;
}

test('one key goes to all terminals of a label, and to no other', async () => {
  for (const [name, role] of Object.entries({ one: 'stuck', two: 'stuck', other: 'busy' })) {
    const { body } = await used.api.post<{ id: string }>('/api/terminals', { name, labels: { role } });
    await used.api.post(`/api/terminals/${body.id}/input`, { data: 'sleep 1000\r' });
  }
  const running = async () =>
    (await used.api.get<Listed>('/api/terminals?view=full')).body.terminals
      .filter(({ command }) => command?.commandLine === 'sleep 1000' && command.endedAt === null)
      .map(({ name }) => name);
  await eventually('all three sleep', async () => (await running()).length === 3);
  const page = await used.open('/?q=role=stuck');
  await expect.poll(() => page.locator('[data-terminal]').count()).toBe(2);
  await page.keyboard.press('b');
  await page.getByLabel('or one key').selectOption('ctrl+c');
  await page.getByRole('button', { name: 'Press in 2' }).click();
  await page.getByText('ctrl+c sent to 2 terminals').waitFor();
  await eventually('both have ended', async () => (await running()).length === 1);
  expect(await running()).toEqual(['other']);
  await page.context().close();
});
