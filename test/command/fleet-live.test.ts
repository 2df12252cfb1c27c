import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIn, DETACH, useOuters } from '../support/attach-rig.js';
import { command } from '../support/command.js';
import { type FleetMachine, grant, makeHub, pair, revokeAll, startMachine } from '../support/fleet.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach } from '../support/sdk.js';

let hub: FleetMachine;
let laptop: FleetMachine;
closeAfterEach();
const openOuter = useOuters();

beforeAll(async () => {
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
  await pair(hub, laptop, { as: 'lap' });
  await grant(laptop, hub, { can: ['observe', 'type'] });
});
afterAll(() => Promise.all([hub, laptop].map((each) => each?.service.stop())));

const run = (...args: string[]) => command(hub.service.home, args);

test('a terminal of another machine is attached to, typed into and left', async () => {
  const outer = openOuter();
  const terminal = await createIn(laptop.service.home, ['sh']);
  outer.command(hub.service.home, ['attach', '--machine', 'lap', terminal.id]);
  await outer.shows('inner$');
  outer.type('echo $((6 * 7))é\r');
  await outer.shows('42é');
  const clients = await terminal.clients();
  expect(clients).toMatchObject([{ isLeader: true, cols: 80, rows: 20 }]);
  outer.type(DETACH);
  await outer.shows('code 0');
  await eventually('no client', async () => (await terminal.clients()).length === 0);
});

test('a right that is taken back ends an attachment with its reason', async () => {
  const outer = openOuter();
  const terminal = await createIn(laptop.service.home, ['sh']);
  outer.command(hub.service.home, ['attach', '--machine', laptop.id, terminal.id]);
  await outer.shows('inner$');
  const { body } = await laptop.api.get<{ grants: { id: string }[] }>('/api/fleet/grants');
  for (const { id } of body.grants) await laptop.api.delete(`/api/fleet/grants/${id}`);
  await outer.shows('not granted');
  await grant(laptop, hub, { can: ['observe', 'type'] });
});

test('logs follows a terminal of another machine, ls lists them, and send types into one', async () => {
  const outer = openOuter();
  const terminal = await createIn(laptop.service.home, ['sh', '-c', 'echo before; cat']);
  outer.command(hub.service.home, ['logs', '-f', '--machine', 'lap', terminal.id]);
  await outer.shows('before');
  expect(await run('send', '--machine', 'lap', terminal.id, 'across', '--enter')).toMatchObject({ code: 0 });
  await outer.shows('across');
  expect(await run('ls', '--machine', 'lap', '-q')).toMatchObject({
    stdout: expect.stringContaining(terminal.id) as string,
  });
  await terminal.close();
  await outer.shows('code 0');
  expect(await run('ls', '--machine', 'nobody')).toMatchObject({ code: 3 });
});

test('a right for the terminals with some labels is enough to list them and to type into them', async () => {
  await revokeAll(laptop);
  await grant(laptop, hub, { can: ['observe', 'type'], terminals: 'role=shown' });
  const labels = { role: 'shown' };
  const { id } = (await laptop.api.post<{ id: string }>('/api/terminals', { command: ['cat'], labels })).body;
  const hidden = (await laptop.api.post<{ id: string }>('/api/terminals', {})).body.id;
  const on = ['--machine', 'lap'];
  expect(await run('ls', ...on, '-q')).toMatchObject({ code: 0, stdout: `${id}\n` });
  expect(await run('send', ...on, id, 'by send', '--enter')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('prompt', ...on, id, 'by prompt')).toMatchObject({ code: 0, stderr: '' });
  await eventually('both texts', async () => {
    const { stdout } = await run('screen', ...on, id);
    return stdout.includes('by send') && stdout.includes('by prompt');
  });
  expect(await run('send', ...on, hidden, 'x')).not.toMatchObject({ code: 0 });
});
