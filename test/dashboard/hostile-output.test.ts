import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { useDashboard } from '../support/dashboard-browser.js';
import { startRecording, stopRecording } from '../support/recordings.js';

const used = useDashboard();

/** Output that tries to do more than show text. */
const HOSTILE = [
  '\x1b]0;<img src=x onerror=alert(1)>\x07',
  '\x1b]2;\u202egnp.exe\u202c\x07',
  `\x1b]52;c;${Buffer.from('rm -rf /\n').toString('base64')}\x07`,
  '\x1b]52;c;?\x07',
  '\x1b]8;;javascript:alert(1)\x1b\\link\x1b]8;;\x1b\\\r\n',
  '\x1b[21t\x1b[c\x1b[6n\x1b[5n\x1bP$qm\x1b\\\x1b]10;?\x07',
  '<script>alert(1)</script><img src=x onerror="alert(2)">\r\n',
  '\u202eevil\u202c \u2066isolate\u2069\r\n',
  '\x1b]9;notify <b>bold</b>\x07',
].join('');

const NAME = '<img src=x onerror=alert(3)>\u202e';
const SHOWN = '<img src=x onerror=alert(3)>';

/** Terminal that prints the hostile output and stays, and a shell in which a command can print it. */
let id: string;
let shell: string;
let recording: string;
const PRINTING = ['bash', '-c', 'read line; printf %s "$HOSTILE"; exec sleep 1000'];

async function create(role: string, command?: string[]): Promise<string> {
  const body = { name: NAME, env: { HOSTILE }, labels: { role }, command };
  return (await used.api.post<{ id: string }>('/api/terminals', body)).body.id;
}

beforeAll(async () => {
  id = await create('hostile', PRINTING);
  shell = await create('shell');
  recording = await startRecording(used.api, id);
  await used.api.post(`/api/terminals/${id}/input`, { data: '\r' });
  await used.api.post(`/api/terminals/${id}/wait`, { until: 'text', text: 'isolate' });
  await used.api.post(`/api/recordings/stop/${recording}`, {});
});

async function lastInput(): Promise<unknown> {
  const { body } = await used.api.get<Record<string, unknown>>(`/api/terminals/${id}`);
  return [body.lastInputSource, body.lastInputAt];
}

/** Opens a page, acts on it, and checks that the page makes nothing but text of the output. */
async function expectText(path: string, look: (page: Page) => Promise<void>): Promise<void> {
  const page = await used.open(path);
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  await look(page);
  for (const frame of page.frames()) expect(await frame.locator('img, script:not([src])').count()).toBe(0);
  expect(dialogs).toEqual([]);
  await page.context().close();
}

describe('hostile output is shown as text, and does nothing', () => {
  test('in tiles, which answer nothing that a program asks of its terminal', async () => {
    const before = await lastInput();
    await expectText('/?q=role=hostile', async (page) => {
      await page.locator(`[data-terminal="${id}"]`).getByText(SHOWN, { exact: true }).waitFor();
      for (const path of ['/w', '/canvas', '/?size=l']) {
        await page.goto(used.url + path);
        await page.getByText(SHOWN).first().waitFor();
      }
    });
    expect(await lastInput()).toEqual(before);
  });

  test('in a terminal that is typed into, which asks before the clipboard and types nothing itself', async () => {
    const live = await create('live', PRINTING);
    const inputs = await startRecording(used.api, live);
    await expectText(`/t/${live}`, async (page) => {
      await page.getByText('keys go to the terminal').waitFor();
      await page.keyboard.press('Enter');
      const question = page.getByRole('dialog', { name: 'May the program put this on your clipboard?' });
      await question.getByText('rm -rf /').waitFor();
      await question.getByRole('button', { name: 'Never for this terminal' }).click();
      await page.locator('.xterm-rows').getByText('<script>alert(1)</script>').first().waitFor();
      await page.locator('.terminal-title').getByText('gnp.exe', { exact: true }).waitFor();
      expect(await page.title()).not.toMatch(/\u202e/);
    });
    const { events } = await stopRecording(used.api, inputs);
    expect(events.filter(({ event_type }) => event_type === 'input').map(({ data }) => data)).toEqual(['\r']);
  });

  test('in the player, and in what is found in it', async () => {
    await expectText(`/recordings/${recording}`, async (page) => {
      await page.getByRole('button', { name: 'Play' }).click();
      await page.frameLocator('iframe').getByText('<script>alert(1)</script>').first().waitFor();
      await page.getByRole('searchbox', { name: 'Find in this recording' }).fill('alert(1)');
      await page.getByRole('list', { name: 'Found' }).getByText('<script>alert(1)</script>').waitFor();
    });
  });

  test('in the table of a batch, and what differs', async () => {
    await expectText('/?q=role=shell', async (page) => {
      await page.locator(`[data-terminal="${shell}"]`).waitFor();
      await page.keyboard.press('b');
      await page.getByLabel('Command', { exact: true }).fill('printf %s "$HOSTILE"; (exit 3)');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: /^Rerun the failed/ }).waitFor();
      await page.locator('.batch-table').getByText('<script>alert(1)</script>').first().waitFor();
      await page.getByRole('button', { name: 'by terminal' }).click();
      await page.locator('.batch-table').getByText(SHOWN).first().waitFor();
    });
  });

  test('in what is told of who has a terminal, in the audit log, tokens, watches, webhooks and the line', async () => {
    // A client that claims to run in the terminal with the hostile name.
    const send = (path: string, body: object) =>
      fetch(used.service.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-service-terminal-id': id },
        body: JSON.stringify(body),
      });
    await used.api.patch('/api/settings', { audit: { enabled: true, text: 'full' } });
    await send(`/api/terminals/${shell}/lease`, { ttlMs: 600_000, reason: NAME });
    await used.api.post('/api/tokens', { name: NAME, verbs: ['read'] });
    await used.api.post('/api/watches', { name: NAME, text: NAME });
    await used.api.post('/api/webhooks', { name: NAME, url: 'http://127.0.0.1:1/', types: ['run.finished'] });
    await send(`/api/terminals/${id}/input`, { data: NAME });
    await used.api.patch('/api/settings', { limits: { maxTerminals: 0 } });
    const waits = send('/api/terminals', { name: NAME, queueMs: 60_000 });
    await expectText(`/t/${shell}`, async (page) => {
      await page.getByText(`The program in ${SHOWN} has it: ${SHOWN}`).waitFor();
      for (const part of ['audit', 'tokens', 'watches', 'webhooks', 'limits']) {
        await page.goto(`${used.url}/guardrails/${part}`);
        await page.locator('td', { hasText: SHOWN }).first().waitFor();
        expect(await page.locator('.guardrails').textContent()).not.toMatch(/\u202e/);
      }
    });
    await used.api.patch('/api/settings', { limits: { maxTerminals: null } });
    await waits;
  });

  test('in the prompts that wait for a terminal, and those that have ended', async () => {
    const prompts = `/api/terminals/${shell}/prompts`;
    await used.api.post(prompts, { prompt: `${NAME}\n`, afterMs: 600_000 });
    const { body } = await used.api.post<{ id: string }>(prompts, { prompt: HOSTILE, afterMs: 600_000 });
    await used.api.delete(`${prompts}/${body.id}`);
    await expectText(`/t/${shell}`, async (page) => {
      await page.getByRole('button', { name: '1 prompt queued' }).click();
      const dialog = page.getByRole('dialog', { name: 'Prompt queue' });
      await dialog.locator('li code').getByText(SHOWN, { exact: true }).waitFor();
      await dialog.getByRole('list', { name: 'Ended' }).getByText('onerror=alert(1)').waitFor();
      expect(await dialog.textContent()).not.toMatch(/[\u001b\u202e]/);
    });
  });

  test('in a toast, which tells of a fault', async () => {
    await expectText('/settings', async (page) => {
      await page.getByLabel('Rules').fill(SHOWN);
      await page.getByRole('region', { name: 'Agents' }).getByRole('button', { name: 'Save' }).click();
      await page
        .locator('.toast')
        .getByText(/^This is not JSON: .*<img/)
        .waitFor();
    });
  });
});
