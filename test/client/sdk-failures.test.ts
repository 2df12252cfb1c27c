import { getEventListeners } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type AutoTerminal,
  ClosedError,
  ConflictError,
  DisconnectedError,
  NoServiceError,
  NotFoundError,
} from '#dist/client/index.js';
import { freePort } from '../support/free-port.js';
import { closeAfterEach, connectTo, cuttingProxy, ofHome } from '../support/sdk.js';
import { type Service, startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
closeAfterEach();

describe('failures', () => {
  test('are errors of a class for each kind, with the code of the API', async () => {
    const client = connectTo(ofHome(used.service.home));
    const missing = client.terminals.get('term_000000000000');
    const asked = [
      missing.info(),
      missing.type('x'),
      missing.output(),
      missing.snapshot(),
      missing.run('true'),
    ];
    for (const outcome of await Promise.allSettled(asked.map((call) => Promise.resolve<unknown>(call)))) {
      const { reason } = outcome as PromiseRejectedResult;
      expect(reason).toBeInstanceOf(NotFoundError);
      expect(reason).toMatchObject({
        name: 'NotFoundError',
        code: 'terminal-not-found',
        message: 'Terminal not found',
      });
    }
    const key = 'sdk-conflict';
    await client.terminals.create({ name: 'one' }, { key });
    await expect(client.terminals.create({ name: 'two' }, { key })).rejects.toThrow(ConflictError);
    await expect(client.request('GET', '/nowhere')).rejects.toMatchObject({ code: 'not-found', status: 404 });
  });

  test('say why a connection was not made, unless nobody listens', async () => {
    const nobody = connectTo({ url: `http://127.0.0.1:${await freePort()}`, env: {} });
    await expect(nobody.health()).rejects.toMatchObject({
      ...{ name: 'NoServiceError', fix: 'Start it: auto-terminal serve' },
      message: expect.stringMatching(/^No service answers at http:\/\/127\.0\.0\.1:\d+$/),
    });
    const notSecure = connectTo({ url: used.service.url.replace('http:', 'https:'), env: {} });
    await expect(notSecure.health()).rejects.toMatchObject({
      ...{ name: 'NoServiceError', fix: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
      message: expect.stringMatching(/^No service answers at https:\/\/127\.0\.0\.1:\d+: .*(SSL|TLS)/is),
    });
  });

  test('have the same class and status over the WebSocket as over HTTP', async () => {
    const client = connectTo(ofHome(used.service.home));
    const { id } = await client.terminals.create({ command: ['cat'] });
    const reader = client.terminals.get(id).attach({ cols: 80, rows: 20, readOnly: true });
    for await (const { type } of reader) {
      if (type !== 'reset') continue;
      await expect(reader.type('no')).rejects.toMatchObject({
        ...{ name: 'DeniedError', code: 'read-only-client', status: 403 },
      });
      await expect(reader.resize({ cols: 0, rows: 20 })).rejects.toMatchObject({
        name: 'ApiError',
        status: 400,
      });
      break;
    }
  });

  test('no service: told at once, with what to do', async () => {
    const port = await freePort();
    const client = connectTo({ url: `http://127.0.0.1:${port}`, env: {} });
    await expect(client.health()).rejects.toThrow(NoServiceError);
    await expect(connectTo(ofHome('/nowhere')).health()).rejects.toMatchObject({
      code: 'no-service',
      fix: expect.stringContaining('auto-terminal'),
    });
  });

  test('a signal ends a call, which rejects with its reason', async () => {
    const client = connectTo(ofHome(used.service.home));
    const terminal = await client.terminals.create({ command: ['cat'] });
    const leaving = new AbortController();
    const waiting = terminal.waitFor({ until: 'exit', signal: leaving.signal });
    const reason = new Error('enough');
    leaving.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(terminal.info({ signal: leaving.signal })).rejects.toBe(reason);
  });
});

describe('a client that is closed', () => {
  /** Reads a stream to its end; calls `begun` at each item. */
  const read = async (stream: AsyncIterable<unknown>, begun: () => void) => {
    for await (const _ of stream) begun();
  };

  test.each([
    ['output', (client: AutoTerminal, id: string) => client.watch({ terminals: [id] })],
    ['screens', (client: AutoTerminal, id: string) => client.screens([{ terminalId: id }])],
    [
      'an attachment',
      (client: AutoTerminal, id: string) => client.terminals.get(id).attach({ cols: 80, rows: 20 }),
    ],
    ['raw output', (client: AutoTerminal, id: string) => client.terminals.get(id).stream()],
    ['events', (client: AutoTerminal) => client.events({ types: ['terminal.updated'] })],
  ])('ends %s, and begins none', async (_what, follow) => {
    const client = connectTo(ofHome(used.service.home));
    const { id } = await client.terminals.create({ command: ['sh', '-c', 'echo begun; exec cat'] });
    const renaming = setInterval(
      () =>
        void client.terminals
          .get(id)
          .update({ name: String(Math.random()) })
          .catch(() => {}),
      20,
    );
    onTestFinished(() => clearInterval(renaming));
    let reading: Promise<void> = Promise.resolve();
    await new Promise<void>((begun) => {
      reading = read(follow(client, id), begun);
    });
    client.close();
    await expect(reading).rejects.toThrow(ClosedError);
    await expect(read(follow(client, id), () => {})).rejects.toThrow(ClosedError);
  });
});

test('a client of a machine that is closed ends its own calls and streams, and those of no other', async () => {
  const client = connectTo(ofHome(used.service.home));
  const terminal = await client.terminals.create({ command: ['sh', '-c', 'echo begun; exec cat'] });
  const machine = client.machine('self');
  const { id } = terminal;
  const other = terminal.waitFor({ until: 'text', text: 'later' });
  const waiting = machine.terminals.get(id).waitFor({ until: 'exit' });
  const stream = machine.terminals.get(id).stream();
  await stream.next();
  const reading = stream.next();
  machine.close();
  await expect(waiting).rejects.toThrow(ClosedError);
  await expect(reading).rejects.toThrow(ClosedError);
  await expect(machine.terminals.list()).rejects.toThrow(ClosedError);
  await terminal.type('later\r');
  expect(await other).toMatchObject({ done: true });
});

test('many streams of one client, or by one signal, are nothing to warn of', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error) => void warnings.push(warning);
  process.on('warning', warn);
  onTestFinished(() => void process.off('warning', warn));
  const client = connectTo(ofHome(used.service.home));
  const { id } = await client.terminals.create({ command: ['cat'] });
  const streams = Array.from({ length: 12 }, () => client.watch({ terminals: [id] })[Symbol.asyncIterator]());
  await Promise.all(streams.map((stream) => stream.next()));
  expect(warnings).toEqual([]);
  const { signal } = new AbortController();
  const watching = Array.from({ length: 12 }, () => client.watch({ terminals: [id], signal }));
  await Promise.all(watching.map((stream) => stream.next()));
  await Promise.all(Array.from({ length: 12 }, () => client.terminals.list({ signal })));
  expect(warnings).toEqual([]);
  await expect.poll(() => getEventListeners(signal, 'abort').length).toBeLessThanOrEqual(watching.length);
  await Promise.all(watching.map((stream) => stream.return(undefined)));
  await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([]);
  const { signal: another } = new AbortController();
  const { leases } = client.terminals.get(id);
  const holds = Array.from({ length: 12 }, () => leases.hold({ signal: another }));
  const held = (await Promise.allSettled(holds)).filter(({ status }) => status === 'fulfilled');
  expect([held.length, warnings]).toEqual([1, []]);
  await Promise.all(streams.map((stream) => stream.return?.(undefined)));
});

describe('a call whose connection breaks', () => {
  test('is repeated with its key, and types once', async () => {
    const proxy = await cuttingProxy(used.service.url, 3);
    const client = connectTo({ url: proxy.url, env: {} });
    const terminal = await client.terminals.create({ command: ['bash'] });
    await terminal.run('echo ran >> ~/sdk-ran; (exit 6)');
    expect(proxy.cut()).toBe(3);
    const listed = await connectTo(ofHome(used.service.home)).terminals.list();
    expect(listed.filter(({ id }) => id === terminal.id)).toHaveLength(1);
    expect(await terminal.run('cat ~/sdk-ran')).toMatchObject({ raw: 'ran\n' });
  });

  test('is not repeated if it has no key and is not safe: the caller learns that nobody knows', async () => {
    const proxy = await cuttingProxy(used.service.url, 1);
    const client = connectTo({ url: proxy.url, env: {} });
    const { id } = await connectTo(ofHome(used.service.home)).terminals.create({ command: ['cat'] });
    await expect(client.terminals.get(id).resize({ cols: 99, rows: 20 })).rejects.toThrow(DisconnectedError);
    expect(proxy.cut()).toBe(1);
  });

  test('finds the next service after a kill', async () => {
    let service: Service = await startService({ env: { SHELL: '/bin/bash' } });
    try {
      const client = connectTo(ofHome(service.home));
      const terminal = await client.terminals.create({ command: ['bash'] });
      await service.kill('SIGKILL');
      const later = terminal.run('(exit 7)');
      service = await startService({ home: service.home, env: { SHELL: '/bin/bash' } });
      expect(await later).toMatchObject({ exitCode: 7 });
    } finally {
      await service.stop();
    }
  });
});
