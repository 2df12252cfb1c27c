import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApi } from '../support/http.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** The content of a cell: random, so that packing saves hardly anything. */
const CELLS: Array<[string, { cols: number; rows: number }, string]> = [
  [
    '6,000 combining characters in each cell',
    { cols: 80, rows: 24 },
    "'a' + String.fromCharCode(...Array.from({ length: 6000 }, () => 0x300 + below(111)))",
  ],
  [
    'a colour of its own in each of a million cells',
    { cols: 1_000, rows: 1_000 },
    "'\\x1b[38;2;' + below(256) + ';' + below(256) + ';' + below(256) + 'm' + String.fromCharCode(33 + below(90))",
  ],
];

/** Program that paints all cells, reports that at the top of the screen, and then echoes. */
const program = ({ cols, rows }: { cols: number; rows: number }, cell: string) => `
import { writeSync } from 'node:fs';
const below = (bound) => Math.floor(Math.random() * bound);
const write = (text) => {
  for (let bytes = Buffer.from(text); bytes.length > 0; ) bytes = bytes.subarray(writeSync(1, bytes));
};
for (let row = 1; row <= ${rows}; row++) {
  let text = '\\x1b[' + row + 'H';
  for (let col = 0; col < ${cols}; col++) text += ${cell};
  write(text);
}
write('\\x1b[m\\x1b[H\\x1b[2Kall painted\\r\\n\\x1b[2K');
process.stdin.resume();
`;

/** The pty host keeps 1 MiB after a checkpoint: finished painting shows that checkpoints were taken. */
it.each(CELLS)(
  'a screen with %s is saved with less detail, and found again, and harms no other',
  async (_, size, cell) => {
    let api = createApi(service.url);
    const { home } = service;
    const file = join(home, 'paint.mjs');
    await writeFile(file, program(size, cell));
    const create = async (body: object) => (await api.post<{ id: string }>('/api/terminals', body)).body.id;
    const waitFor = (id: string, text: string) =>
      api.post<{ reason: string }>(`/api/terminals/${id}/wait`, { until: 'text', text, timeoutMs: 250_000 });
    const other = await create({ command: ['cat'] });
    const id = await create({ ...size, index: false, command: [process.execPath, file] });
    expect((await waitFor(id, 'all painted')).body).toMatchObject({ reason: 'text' });
    expect(service.log()).not.toContain('shard died');

    await service.kill('SIGKILL');
    service = await startService({ home });
    api = createApi(service.url);
    for (const [each, text] of [
      [id, 'goes on'],
      [other, 'goes on, too'],
    ] as const) {
      await api.post(`/api/terminals/${each}/input`, { data: `${text}\r` });
      expect((await waitFor(each, text)).body).toMatchObject({ reason: 'text' });
    }
    const { body } = await api.get<{ snapshot: string }>(`/api/terminals/${id}/snapshot`);
    expect(body.snapshot).toMatch(/all painted.*goes on/s);
    expect(service.log()).not.toContain('shard died');
    for (const each of [id, other]) await api.delete(`/api/terminals/${each}`);
  },
);
