import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
let folder: string;
beforeAll(async () => {
  service = await startService();
  api = createApi(service.url);
  folder = mkdtempSync(join(tmpdir(), 'at-hard-'));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

/** Shows a file in a terminal of this size, and waits for the line after it. */
async function show(content: string | Buffer, size: { cols: number; rows: number }): Promise<string> {
  const file = join(folder, 'content');
  writeFileSync(file, content);
  const command = ['sh', '-c', `cat ${file}; printf '\\033[m\\r\\nall shown'; exec sleep 1000`];
  const { body } = await api.post<{ id: string }>('/api/terminals', { command, ...size });
  const lastLine = async () =>
    (await api.get<{ raw: string }>(`/api/terminals/${body.id}/output?lines=1`)).body.raw;
  await eventually('all is shown', async () => (await lastLine()).endsWith('all shown'));
  return body.id;
}

describe('a costly screen', () => {
  it('of true colours in every cell, with a full scrollback, is saved and shown', async () => {
    let rows = '';
    for (let row = 0; row < 1_200; row++) {
      for (let col = 0; col < 260; col++) {
        const [red, green, blue] = [(row * 7) % 256, (col * 5) % 256, (row * col) % 256];
        rows += `\x1b[38;2;${red};${green};${blue}m\x1b[48;2;${blue};${red};${green}m▀`;
      }
      rows += '\r\n';
    }
    const id = await show(rows, { cols: 260, rows: 50 });
    const { status, body } = await api.get<{ snapshot: string }>(`/api/terminals/${id}/snapshot`);
    expect(status).toBe(200);
    expect(body.snapshot).toContain('▀');
    expect(service.log()).not.toContain('shard');
  });

  it.each(['S', 'T', 'L', 'M', '@', 'P', 'X', 'b', 'E', 'F', 'I', 'Z', 'A', 'B', 'C', 'D'])(
    'of a million times CSI %s is answered at once, and slows no other',
    async (final) => {
      const { body: other } = await api.post<{ id: string }>('/api/terminals', { command: ['cat'] });
      const id = await show(`x\x1b[1000000${final}`.repeat(200), { cols: 200, rows: 100 });
      for (const each of [id, other.id])
        expect((await api.get(`/api/terminals/${each}/snapshot`)).status).toBe(200);
      expect(service.log()).not.toContain('shard');
      await Promise.all([id, other.id].map((each) => api.delete(`/api/terminals/${each}`)));
    },
  );

  it('of a string that never ends swallows it, and delays nothing else', async () => {
    const file = join(folder, 'endless');
    writeFileSync(file, `shown\r\n\x1bP${'q'.repeat(5_000_000)}`);
    const command = ['sh', '-c', `cat ${file}; printf '\\033\\\\after it'; exec sleep 1000`];
    const { body } = await api.post<{ id: string }>('/api/terminals', { command });
    const raw = async () => (await api.get<{ raw: string }>(`/api/terminals/${body.id}/output`)).body.raw;
    await eventually('what follows is shown', async () => (await raw()) === 'shown\nafter it');
  });
});
