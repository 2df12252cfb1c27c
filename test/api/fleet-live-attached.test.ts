import { expect, test } from 'vitest';
import { grant, revokeAll } from '../support/fleet.js';
import { useFleetOfTwo } from '../support/fleet-of-two.js';
import { LiveWatch } from '../support/live-watch.js';
import { eventually } from '../support/processes.js';

const fleet = useFleetOfTwo();

test('a client of another machine attaches, types in order, leads and leaves', async () => {
  const id = await fleet.terminal(['cat']);
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&snapshot=1`);
  const attach = { action: 'terminal:attach', terminalId: id, cols: 100, rows: 30, name: 'far' };
  const attached = await far.command(attach);
  expect(attached).toMatchObject({ success: true, data: { isLeader: true, cols: 100, rows: 30 } });
  const { clientId } = attached.data as { clientId: string };
  type Clients = { clients: { clientId: string; isLeader: boolean; name: string }[] };
  const clients = async () =>
    (await fleet.laptop.api.get<Clients>(`/api/terminals/${id}/clients`)).body.clients;
  expect(await clients()).toMatchObject([{ clientId, isLeader: true, name: 'far' }]);
  const words = Array.from({ length: 200 }, (_, n) => `w${n} `);
  const typed = words.map((data) => far.command({ action: 'terminal:input', terminalId: id, data }));
  expect((await Promise.all(typed)).every(({ success }) => success === true)).toBe(true);
  // A text that no request can hold is refused as a whole.
  const large = await far.command({ action: 'terminal:input', terminalId: id, data: 'L'.repeat(600_000) });
  expect(large).toMatchObject({ success: false, code: 'body-too-large' });
  await far.command({ action: 'terminal:input', terminalId: id, data: '\r' });
  const line = words.join('');
  const printed = () => far.text.replace(/[\r\n]/g, '');
  await far.until('the line, typed and printed', () => printed().includes(line + line));
  await far.command({ ...attach, action: 'terminal:resize', cols: 90, rows: 20 });
  expect((await fleet.laptop.api.get(`/api/terminals/${id}/size`)).body).toMatchObject({
    cols: 90,
    rows: 20,
  });
  // A client on the laptop takes the lead, and the far client takes the lead back by typing.
  const here = await LiveWatch.open(fleet.laptop.service.url, `terminals=${id}&snapshot=1`);
  await here.command({ ...attach, cols: 60, rows: 10, name: 'here' });
  await here.command({ action: 'terminal:lead', terminalId: id });
  await far.until('the size of the other', () =>
    far.events.find(({ type, data }) => type === 'terminal.resized' && data.cols === 60),
  );
  await far.command({ action: 'terminal:input', terminalId: id, data: 'x' });
  await here.until('the far size', () =>
    here.events.find(({ type, data }) => type === 'terminal.resized' && data.cols === 90),
  );
  await far.close();
  await eventually('one client', async () => (await clients()).length === 1);
  await here.close();
});

test('a client that is attached to two terminals stays at the one when the other is closed, or watched no more', async () => {
  const ids = [await fleet.terminal(['cat']), await fleet.terminal(['cat']), await fleet.terminal(['cat'])];
  const far = await LiveWatch.open(fleet.there, `terminals=${ids.join(',')}&snapshot=1`);
  for (const terminalId of ids)
    await far.command({ action: 'terminal:attach', terminalId, cols: 100, rows: 30 });
  const [kept, closed, left] = ids;
  await fleet.laptop.api.delete(`/api/terminals/${closed}`);
  await far.until('the end', () => far.events.find(({ type }) => type === 'terminal.removed'));
  await far.command({ action: 'stream:watch', terminals: [kept] });
  const clients = async (id: string | undefined) =>
    (await fleet.laptop.api.get<{ clients: unknown[] }>(`/api/terminals/${id}/clients`)).body.clients.length;
  await eventually('it has left the other', async () => (await clients(left)) === 0);
  expect(await clients(kept)).toBe(1);
  expect(
    await far.command({ action: 'terminal:resize', terminalId: kept, cols: 90, rows: 20 }),
  ).toMatchObject({ success: true });
  await far.close();
});

test('a size that the API sets holds until the leader, at another machine, resizes', async () => {
  const id = await fleet.terminal(['cat']);
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&snapshot=1`);
  const attach = { action: 'terminal:attach', terminalId: id, cols: 100, rows: 30 };
  await far.command(attach);
  const size = async () => (await fleet.laptop.api.get(`/api/terminals/${id}/size`)).body;
  const set = { cols: 120, rows: 40 };
  await fleet.laptop.api.post(`/api/terminals/${id}/size`, set);
  const reader = await LiveWatch.open(fleet.there, `terminals=${id}&snapshot=1`);
  const read = { ...attach, cols: 70, rows: 20, readOnly: true };
  expect(await reader.command(read)).toMatchObject({ data: { isLeader: false, ...set } });
  await reader.command({ ...read, action: 'terminal:resize', cols: 71 });
  expect(await size()).toMatchObject(set);
  await far.command({ action: 'terminal:input', terminalId: id, data: 'x' });
  // This reply comes once the owner has taken note of the typing.
  await reader.command({ ...read, action: 'terminal:resize', cols: 72 });
  expect(await size()).toMatchObject(set);
  await far.command({ ...attach, action: 'terminal:resize' });
  expect(await size()).toMatchObject({ cols: 100, rows: 30 });
  await Promise.all([far.close(), reader.close()]);
});

test('a machine without the right to type attaches only to read', async () => {
  const id = await fleet.terminal(['cat']);
  await revokeAll(fleet.laptop);
  await grant(fleet.laptop, fleet.hub, { can: ['observe'], terminals: [id] });
  const far = await LiveWatch.open(fleet.there, `terminals=${id}&snapshot=1`);
  const attach = { action: 'terminal:attach', terminalId: id, cols: 100, rows: 30 };
  expect(await far.command(attach)).toMatchObject({ success: false, code: 'not-granted', needs: 'type' });
  expect(await far.command({ ...attach, readOnly: true })).toMatchObject({ success: true });
  const typed = await far.command({ action: 'terminal:input', terminalId: id, data: 'x' });
  expect(typed).toMatchObject({ success: false, code: 'read-only-client' });
  await far.command({ action: 'terminal:detach', terminalId: id });
  const resized = await far.command({ action: 'terminal:resize', terminalId: id, cols: 90, rows: 20 });
  expect(resized).toMatchObject({ success: false, code: 'not-granted', needs: 'type' });
  await far.close();
  await grant(fleet.laptop, fleet.hub, { can: ['observe', 'type'] });
});
