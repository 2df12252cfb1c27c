import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LocalUsers } from '#dist/gateway/local-users/local-users.js';
import { ProcTcp } from '#dist/gateway/local-users/proc-tcp.js';
import { SockDiag } from '#dist/gateway/local-users/sock-diag.js';
import { addressBytes, type SocketOwner } from '#dist/gateway/local-users/socket-owner.js';
import { ownerLookup } from '#dist/gateway/local-users/system.js';
import { loadCLibrary } from '#dist/workers/c-library.js';

const onLinux = describe.runIf(process.platform === 'linux');

interface Pair {
  client: Socket;
  server: Socket;
}

/** Resolves with both ends of a connection to `target`, whose server listens on `host`. */
async function pairOf(host: string, target = host): Promise<Pair> {
  const listening = createServer({ allowHalfOpen: true }).listen(0, host);
  await once(listening, 'listening');
  const client = connect({ port: (listening.address() as AddressInfo).port, host: target });
  const [server] = (await once(listening, 'connection')) as [Socket];
  await once(client, 'connect').catch(() => undefined);
  onTestFinished(() => {
    client.destroy();
    server.destroy();
    listening.close();
  });
  return { client, server };
}

/** Returns the ends of a connection as the server sees them, the client's end first. */
function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket) {
  return [
    { address: remoteAddress!, port: remotePort! },
    { address: localAddress!, port: localPort! },
  ] as const;
}

function diag(): SocketOwner {
  const library = loadCLibrary(process.platform, process.arch);
  if ('missing' in library) throw new Error(library.missing);
  return new SockDiag(library);
}

onLinux.each([
  ['sock_diag', diag],
  ['/proc/net/tcp', () => new ProcTcp()],
])('%s', (_name, open) => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '127.0.0.1'],
    ['::', '::ffff:127.0.0.1'],
  ])('a server at %s, a client that connects to %s', async (host, target) => {
    const { server } = await pairOf(host, target);
    expect(open().find(...endsOf(server))).toBe(process.geteuid?.());
  });

  test('a half-closed client still counts', async () => {
    const { client, server } = await pairOf('127.0.0.1');
    server.resume();
    client.end();
    await once(server, 'end');
    expect(open().find(...endsOf(server))).toBe(process.geteuid?.());
  });

  test('a socket that its client has closed has no user, whatever user the kernel names', async () => {
    const { client, server } = await pairOf('127.0.0.1');
    const ends = endsOf(server);
    client.destroy();
    server.resume();
    await once(server, 'end');
    expect(open().find(...ends)).toBe(null);
    server.destroy();
    expect(open().find(...ends)).toBe(null);
  });

  test('no such connection', async () => {
    const { server } = await pairOf('127.0.0.1');
    const [peer, self] = endsOf(server);
    expect(open().find({ ...peer, port: 1 }, self)).toBe(null);
    expect(open().find({ address: '127.0.0.2', port: peer.port }, self)).toBe(null);
    expect(open().find({ address: '::1', port: peer.port }, { ...self, address: '::1' })).toBe(null);
  });

  test("a listening socket at the client's end is no connection", async () => {
    const { server } = await pairOf('127.0.0.1');
    const [, self] = endsOf(server);
    expect(open().find(self, { address: '127.0.0.1', port: 1 })).toBe(null);
  });
});

const HEAD =
  '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n';
const FROM = { address: '127.0.0.1', port: 0x1234 };
const TO = { address: '127.0.0.1', port: 0xa42f };

function tables(row: string): ProcTcp {
  return new ProcTcp((path) => (path.endsWith('6') ? HEAD : HEAD + row));
}

function row(state: string, uid: number, inode: number): string {
  const ends = '0100007F:1234 0100007F:A42F';
  return `   1: ${ends} ${state} 00000000:00000000 00:00000000 00000000  ${uid}        0 ${inode} 1 0 20 4 30 10 -1\n`;
}

describe('rows of /proc/net/tcp', () => {
  test.each([
    ['connected', '01', 1_000, 77, 1_000],
    ['half closed', '05', 1_000, 77, 1_000],
    ["closed, and named as root's", '05', 0, 0, null],
    ['connected, of no process', '01', 0, 0, null],
    ['TIME_WAIT', '06', 0, 0, null],
    ['being connected', '03', 0, 0, null],
    ['listening', '0A', 0, 77, null],
  ])('%s', (_name, state, uid, inode, user) => {
    expect(tables(row(state, uid, inode)).find(FROM, TO)).toBe(user);
  });

  test("the other end's row does not count", () => {
    expect(tables(row('01', 1_000, 77)).find(TO, FROM)).toBe(null);
  });
});

describe('if sock_diag does not answer', () => {
  const found = (uid: number | null): SocketOwner => ({ find: () => uid });
  const broken: SocketOwner = {
    find: () => {
      throw new Error('no answer');
    },
  };

  test('the tables are read', () => {
    const faults: unknown[] = [];
    const onFault = (error: unknown) => void faults.push(error);
    expect(ownerLookup({ diag: broken, tables: found(7), onFault })(FROM, TO)).toBe(7);
    expect(faults).toHaveLength(1);
    expect(ownerLookup({ diag: undefined, tables: found(7), onFault })(FROM, TO)).toBe(7);
  });

  test('its "no" counts once it has found any', () => {
    let uid: number | null = null;
    const lookup = ownerLookup({ diag: { find: () => uid }, tables: found(7), onFault: () => {} });
    expect(lookup(FROM, TO)).toBe(7);
    uid = 5;
    expect(lookup(FROM, TO)).toBe(5);
    uid = null;
    expect(lookup(FROM, TO)).toBe(null);
  });

  test('without any source, the user is unknown', () => {
    const lookup = ownerLookup({ diag: broken, tables: broken, onFault: () => {} });
    expect(lookup(FROM, TO)).toBe(null);
  });
});

describe('other users', () => {
  const peer = { remoteAddress: '127.0.0.1', remotePort: 1, localAddress: '127.0.0.1', localPort: 2 };
  const isOther = (owner: number | null, socket: object = peer) =>
    new LocalUsers({ uid: 1_000, ownerOf: () => owner }).isOther(socket as Socket);

  test("exclude the service's own, and root", () => {
    expect([isOther(1_000), isOther(0)]).toEqual([false, false]);
    expect([isOther(1_001), isOther(65_534), isOther(null)]).toEqual([true, true, true]);
  });

  test('exclude users of other machines', () => {
    expect(isOther(null, { ...peer, remoteAddress: '192.0.2.7' })).toBe(false);
    expect(isOther(1_001, { ...peer, remoteAddress: '::ffff:127.0.0.1' })).toBe(true);
  });

  test('are unknown if the system cannot name them', () => {
    expect(new LocalUsers({ uid: undefined }).isOther(peer as Socket)).toBe(false);
  });

  test('a connection is looked at once', () => {
    let looks = 0;
    const ownerOf = () => {
      looks += 1;
      return 1_000;
    };
    const users = new LocalUsers({ uid: 1_000, ownerOf });
    const socket = { ...peer } as Socket;
    users.isOther(socket);
    users.isOther(socket);
    expect(looks).toBe(1);
  });
});

test('addresses as bytes', () => {
  expect(addressBytes('127.0.0.1')).toEqual(Buffer.from([127, 0, 0, 1]));
  expect(addressBytes('::1').toString('hex')).toBe(`${'0'.repeat(31)}1`);
  expect(addressBytes('fe80::1:2%eth0').toString('hex')).toBe('fe800000000000000000000000010002');
  expect(addressBytes('2001:db8:1:2:3:4:5:6').toString('hex')).toBe('20010db8000100020003000400050006');
  expect(() => addressBytes('1:2:3')).toThrow('is not an IP address');
});
