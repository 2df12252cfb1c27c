import { describe, expect, it } from 'vitest';
import type { FleetScreen } from '#dist/contract/fleet.js';
import { NO_TERMINAL, NOT_FOUND, toolOf, UNKNOWN, useTools } from '../support/mcp-tools.js';
import { eventually } from '../support/processes.js';
import { openTerminal } from '../support/runs.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();
const { call, failure } = useTools(() => ({ apiUrl: used.service.url }));
const see = (args: object, caller?: string) => call<FleetScreen>('get_terminal_screen', args, caller);

/** A terminal that shows a red word below an empty row. */
async function drawn(): Promise<string> {
  const id = await openTerminal(used.api, ['sh', '-c', 'printf "\\n\\033[31mred\\033[0m end"; read x'], {
    name: 'T',
  });
  await eventually('it is drawn', async () =>
    (await see({ terminalId: id })).structured.screen.endsWith('red end'),
  );
  return id;
}

describe('get_terminal_screen', () => {
  it('{machineId, terminalId, title, running, screen}, as text unless another format is asked for', async () => {
    const id = await drawn();
    const shown = { machineId: 'self', terminalId: id, title: 'T', running: true, screen: '\nred end' };
    for (const args of [{}, { format: 'text' }, { machineId: 'self' }]) {
      const { structured, text, image } = await see({ terminalId: id, ...args });
      expect([structured, image]).toEqual([shown, undefined]);
      expect(text).toBe(`\nred end\n[the screen of ${id} "T" on self, running]`);
    }
    expect((await see({ terminalId: 'me' }, id)).structured).toEqual(shown);
  });

  it('ansi: with its colours as escape sequences', async () => {
    const id = await drawn();
    const { structured, text } = await see({ terminalId: id, format: 'ansi' });
    expect(structured).toMatchObject({ machineId: 'self', terminalId: id, title: 'T', running: true });
    expect(structured.screen).toMatch(/\x1b\[31mred\x1b\[[0-9;]*m end/);
    expect(text).toContain(structured.screen);
  });

  it('png: an image, without a structured object that would hide it', async () => {
    const id = await drawn();
    const { structured, text, image } = await see({ terminalId: id, format: 'png' });
    expect([structured, image?.mimeType]).toEqual([undefined, 'image/png']);
    expect(text).toBe(`[the screen of ${id} "T" on self, running, as an image]`);
    const bytes = Buffer.from(image!.data, 'base64');
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    const direct = await fetch(`${used.service.url}/api/terminals/${id}/screenshot`);
    expect(bytes.equals(Buffer.from(await direct.arrayBuffer()))).toBe(true);
    expect(toolOf('get_terminal_screen').listing.outputSchema).toBeUndefined();
  });

  it.each(['text', 'ansi'])('%s: of a terminal that has exited, while it is kept', async (format) => {
    const id = await openTerminal(used.api, ['sh', '-c', 'printf bye']);
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'exit' });
    const { structured, text } = await see({ terminalId: id, format });
    expect(structured).toMatchObject({ running: false, screen: expect.stringContaining('bye') });
    expect(text).toContain(', exited]');
  });

  it('png: of a terminal that has exited, while it is kept', async () => {
    const id = await openTerminal(used.api, ['sh', '-c', 'printf bye']);
    await used.api.post(`/api/terminals/${id}/wait`, { until: 'exit' });
    const { text, image } = await see({ terminalId: id, format: 'png' });
    expect([text.includes(', exited, as an image]'), image?.mimeType]).toEqual([true, 'image/png']);
  });

  it.each(['text', 'ansi', 'png'])('%s: unknown terminals, remote machines, no me', async (format) => {
    const id = await drawn();
    for (const terminalId of [UNKNOWN, '..', '']) {
      expect(await failure('get_terminal_screen', { terminalId, format })).toBe(NOT_FOUND);
    }
    expect(await failure('get_terminal_screen', { terminalId: id, machineId: 'other', format })).toMatch(
      /^peering not installed\. Only this machine can be reached/,
    );
    expect(await failure('get_terminal_screen', { terminalId: 'me', format })).toContain(NO_TERMINAL);
  });
});
