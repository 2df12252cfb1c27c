import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { type FleetMachine, grant, makeHub, online, pair, startMachine } from '../support/fleet.js';
import { freePort } from '../support/free-port.js';
import {
  certificate,
  NatsServer,
  nkeyUser,
  operator,
  removeFolder,
  testFolder,
} from '../support/nats-server.js';
import { eventually } from '../support/processes.js';

const started: { machines: FleetMachine[]; servers: NatsServer[]; folders: string[] } = {
  ...{ machines: [], servers: [], folders: [] },
};
afterEach(async () => {
  const { machines, servers, folders } = started;
  await Promise.all(machines.splice(0).map(({ service }) => service.stop()));
  await Promise.all(servers.splice(0).map((each) => each.stop()));
  await Promise.all(folders.splice(0).map(removeFolder));
});

async function begin(...settings: object[]): Promise<FleetMachine[]> {
  const machines = await Promise.all(settings.map((each) => startMachine(undefined, each)));
  started.machines.push(...machines);
  return machines;
}

async function serve(folder: string, port: number, text: string): Promise<NatsServer> {
  const server = await NatsServer.start(folder, port, text);
  started.servers.push(server);
  return server;
}

async function folderOfTest(): Promise<string> {
  const folder = await testFolder();
  started.folders.push(folder);
  return folder;
}

/** Runs a command at `to` from `from`; resolves with the screen. */
async function run(from: FleetMachine, to: FleetMachine): Promise<string> {
  const { body } = await from.api.post<{ screen: string; exitCode: number }>(
    `/api/machines/${to.id}/fleet/execute`,
    { command: 'echo $((6*7))' },
  );
  expect(body).toMatchObject({ exitCode: 0 });
  return body.screen;
}

test('credentials of an operator, over TLS: only with the authority, and only with the credentials', async () => {
  const folder = await folderOfTest();
  const port = await freePort();
  const { file: authorities, config: tls } = await certificate(folder);
  const { config, files } = await operator(folder, ['hub', 'laptop']);
  await serve(folder, port, `${tls}${config}`);
  const url = `tls://127.0.0.1:${port}`;
  const [hub, laptop] = await begin(
    { url, credentials: files.get('hub') },
    { url, authorities, credentials: files.get('laptop') },
  );
  const init = () => hub!.api.post<{ error: string }>('/api/fleet/init', {});
  expect((await init()).body.error).toMatch(/^The server of fleet\.url cannot be reached: .*certificate/);
  await hub!.api.patch('/api/settings', { fleet: { authorities, credentials: null } });
  expect((await init()).body.error).toMatch(
    /^The server of fleet\.url does not admit this machine: .*authorization/i,
  );
  // The certificate does not hold for this name.
  await hub!.api.patch('/api/settings', {
    fleet: { credentials: files.get('hub'), url: `tls://localhost:${port}` },
  });
  expect((await init()).body.error).toMatch(/cannot be reached: .*(altnames|localhost)/i);
  await hub!.api.patch('/api/settings', { fleet: { url } });
  await makeHub(hub!, {});
  await pair(hub!, laptop!);
  await grant(laptop!, hub!, { can: ['observe', 'execute', 'create'] });
  expect(await run(hub!, laptop!)).toContain('42');
});

/** The configurations of the documentation, by the name in their first line. */
async function documented(): Promise<Map<string, string>> {
  const text = await readFile(new URL('../../docs/fleet-sites.md', import.meta.url), 'utf8');
  return new Map(
    [...text.matchAll(/```text\n# (\S+\.conf)\n([\s\S]*?)```/g)].map(([, name, config]) => [name!, config!]),
  );
}

test('the documented servers: a cluster of two, and a site with a leaf node', async () => {
  const folder = await folderOfTest();
  const users = await Promise.all(['hub', 'laptop', 'site'].map((name) => nkeyUser(folder, name)));
  const { file: authorities } = await certificate(folder);
  const ports = await Promise.all(Array.from({ length: 7 }, freePort));
  const [a, b, site, routeA, routeB, leafA, leafB] = ports as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const config = await documented();
  const named = (name: string) => {
    const text = config.get(name);
    if (text === undefined) throw new Error(`docs/fleet-sites.md has no ${name}`);
    return text;
  };
  const adapted = (text: string, own: { route: number; other: number; leaf: number }) =>
    text
      .replaceAll('/etc/nats/ca.pem', authorities)
      .replaceAll('/etc/nats/', `${folder}/`)
      .replace('0.0.0.0:6222', `127.0.0.1:${own.route}`)
      .replace('0.0.0.0:7422', `127.0.0.1:${own.leaf}`)
      .replace(/[ab]\.example:6222/, `127.0.0.1:${own.other}`)
      .replace('a.example:7422', `127.0.0.1:${leafA}`)
      .replace('UHUB', users[0]!.nkey)
      .replace('ULAPTOP', users[1]!.nkey)
      .replace('USITE', users[2]!.nkey);
  const none = { route: 0, other: 0, leaf: 0 };
  await writeFile(join(folder, 'users.conf'), adapted(named('users.conf'), none));
  const ofB = named('a.conf').replace('server_name: a', 'server_name: b').replace('b.example', 'a.example');
  const [first] = await Promise.all([
    serve(folder, a, adapted(named('a.conf'), { route: routeA, other: routeB, leaf: leafA })),
    serve(folder, b, adapted(ofB, { route: routeB, other: routeA, leaf: leafB })),
  ]);
  await serve(folder, site, adapted(named('site.conf'), none));

  const [hub, laptop, office] = await begin(
    // The NATS library chooses one of the two servers.
    { url: `tls://127.0.0.1:${a},tls://127.0.0.1:${b}`, authorities, credentials: users[0]!.file },
    { url: `tls://127.0.0.1:${b}`, authorities, credentials: users[1]!.file },
    { url: `nats://127.0.0.1:${site}`, credentials: users[2]!.file },
  );
  await makeHub(hub!, {});
  await pair(hub!, laptop!);
  await pair(hub!, office!);
  for (const owner of [laptop!, office!]) await grant(owner, hub!, { can: ['observe', 'execute', 'create'] });
  await grant(laptop!, office!, { can: ['observe', 'execute', 'create'] });
  await online(office!, laptop!.id);
  expect(await run(hub!, laptop!)).toContain('42');
  expect(await run(hub!, office!)).toContain('42');
  expect(await run(office!, laptop!)).toContain('42');

  await first!.stop();
  // Machines of the stopped server move to the other server; so does the site, which learned of it from the first.
  for (const each of [laptop!, office!]) {
    const path = `/api/machines/${each.id}/fleet/execute`;
    await eventually('a run', async () => (await hub!.api.post(path, { command: 'true' })).status === 200);
    expect(await run(hub!, each)).toContain('42');
  }
});

test('the documented single server is one that nats-server takes', async () => {
  const folder = await folderOfTest();
  await certificate(folder);
  const users = await Promise.all(['hub', 'laptop'].map((name) => nkeyUser(folder, name)));
  const config = await documented();
  const of = (name: string) => (config.get(name) ?? '').replaceAll('/etc/nats/', `${folder}/`);
  await writeFile(
    join(folder, 'users.conf'),
    of('users.conf').replace('UHUB', users[0]!.nkey).replace('ULAPTOP', users[1]!.nkey),
  );
  await serve(folder, await freePort(), of('nats.conf'));
});
