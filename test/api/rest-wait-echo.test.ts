import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import { useSharedService } from '../support/use-service.js';
import { WaitClient } from '../support/waits.js';

const used = useSharedService();
const waits = new WaitClient(() => used.api);
const timeoutMs = 30_000;

beforeAll(() => writeFile(join(used.service.home, '.zshrc'), ''));

const hasShell = (name: string) => process.env.PATH!.split(':').some((path) => existsSync(join(path, name)));

async function open(profile: string): Promise<string> {
  const { id } = (await used.api.post<Terminal>('/api/terminals', { profile })).body;
  await waits.wait(id, { until: 'prompt', timeoutMs });
  return id;
}

const CASES = ['bash', 'zsh', 'fish']
  .filter(hasShell)
  .flatMap((profile) => (['text', 'regex'] as const).map((kind) => [profile, kind] as const));

describe.each(CASES)('until text in %s, by a %s', (profile, kind) => {
  test("finds the command's output, not the typed line; with echo the line, too", async () => {
    const id = await open(profile);
    const since = await waits.cursor(id);
    await waits.type(id, 'sleep 2; echo nee""dle; echo needle-typed >/dev/null\r');
    const typed = { [kind]: 'needle-typed' };
    expect(await waits.wait(id, { until: 'text', ...typed, timeoutMs, echo: true })).toMatchObject({
      done: true,
    });
    for (const more of [{}, { since }]) {
      expect(await waits.wait(id, { until: 'text', ...typed, timeoutMs: 0, ...more })).toMatchObject({
        done: false,
      });
    }
    expect(await waits.wait(id, { until: 'text', [kind]: 'needle', since, timeoutMs })).toMatchObject({
      done: true,
      raw: expect.stringContaining('\nneedle'),
    });
    await waits.wait(id, { until: 'command', timeoutMs });
    expect(await waits.wait(id, { until: 'text', [kind]: 'needle', timeoutMs: 0 })).toMatchObject({
      done: true,
    });
    expect(await waits.wait(id, { until: 'text', ...typed, timeoutMs: 0 })).toMatchObject({ done: false });
  });

  test('finds the output of a background job at the prompt', async () => {
    const id = await open(profile);
    await waits.type(id, "sh -c 'sleep 1; echo from-be''hind' &\r");
    await waits.wait(id, { until: 'command', timeoutMs });
    expect(await waits.wait(id, { until: 'text', [kind]: 'from-behind', timeoutMs })).toMatchObject({
      done: true,
    });
  });
});
