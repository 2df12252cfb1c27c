import { expect, it } from 'vitest';
import { AttachClient } from '../support/attach-client.js';
import { eventually } from '../support/processes.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

const [SMALL, LARGE] = [
  { cols: 60, rows: 20 },
  { cols: 120, rows: 40 },
];

it('the lead is taken neither by what is refused nor by what an emulator sends by itself, and by the mouse it is', async () => {
  const { body: created } = await used.api.post<{ id: string }>('/api/terminals', { command: ['cat'] });
  const { id } = created;
  const [one, two] = [await AttachClient.open(used.service.url), await AttachClient.open(used.service.url)];
  await one.attach(id, SMALL);
  await two.attach(id, LARGE);
  await one.type(id);
  const { body } = await used.api.post<{ leaseId: string }>(`/api/terminals/${id}/lease`, {});
  expect(await two.type(id, 'x')).toMatchObject({ code: 'locked' });
  await used.api.delete(`/api/terminals/${id}/lease?leaseId=${body.leaseId}`);
  for (const report of ['\x1b[?62;22c', '\x1b[10;5R', '\x1b]11;rgb:0/0/0\x1b\\', '\x1b[O'])
    expect(await two.type(id, report)).toMatchObject({ success: true });
  // A reply comes after all that was done before.
  expect(await two.command('terminal:resize', id, LARGE)).toMatchObject({
    data: { isLeader: false, ...SMALL },
  });
  await two.type(id, '\x1b[<0;3;4M');
  await eventually('the size of the other', async () => {
    const { cols } = (await used.api.get<{ cols: number }>(`/api/terminals/${id}/size`)).body;
    return cols === LARGE.cols;
  });
  await Promise.all([one, two].map(({ watcher }) => watcher.close()));
});
