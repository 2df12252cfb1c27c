import { describe, expect, test } from 'vitest';
import { createIn } from '../support/attach-rig.js';
import { serverFrame, useGarbling } from '../support/garbling-proxy.js';
import { useXterms } from '../support/outer-xterm.js';
import { eventually, processInfo } from '../support/processes.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/sh' } });
closeAfterEach();
const openOuter = useXterms();
const openProxy = useGarbling();

const MODES = '\\033[?1049h\\033[?2004h\\033[?1003h\\033[?1006h\\033[?25l\\033[3;9r\\033[1;31m';
const SCRIPT = `printf '${MODES}modes are set'; exec cat`;

/** Attaches to a terminal with modes from an outer terminal, through a proxy. */
async function attachByProxy() {
  const outer = openOuter();
  await outer.shows('person$');
  const before = outer.state;
  const terminal = await createIn(used.service.home, ['sh', '-c', SCRIPT]);
  const proxy = openProxy(used.service.url);
  outer.run(used.service.home, 'attach', terminal.id, '--url', await proxy.listen());
  await outer.shows('modes are set');
  return { outer, before, terminal, proxy };
}

describe('attach leaves the outer terminal as it was found', () => {
  test.each([
    ['text that is no JSON', serverFrame('HTTP/1.1 200 OK')],
    ['JSON that is no message', serverFrame('null')],
    ['an event that is none', serverFrame('{"event":{"type":7}}')],
    ['a frame of an impossible length', Buffer.from([0x81, 127, 255, 255, 255, 255, 255, 255, 255, 255])],
    ['a frame of an unknown kind', Buffer.from([0x83, 0])],
  ])('after the service says %s', async (_name, bytes) => {
    const { outer, before, proxy } = await attachByProxy();
    proxy.say(bytes);
    await outer.shows('ended 1');
    expect(outer.rows.join('\n')).toContain('not understood');
    expect(outer.rows.join('\n')).not.toMatch(/^ +at /m);
    expect(outer.state).toEqual(before);
  });

  test('after the connection breaks within a frame and a sequence, for good', async () => {
    const { outer, before, proxy } = await attachByProxy();
    proxy.say(Buffer.concat([Buffer.from([0x81, 100]), Buffer.from('{"event":{"type":"output.data","da')]));
    proxy.cut({ isRefusing: true });
    await eventually('the title says so', () => outer.title.includes('waiting for the service'));
    outer.type('\x1cd');
    await outer.shows('ended 0');
    expect(outer.state).toEqual(before);
  });

  test('after the connection breaks within a frame, and is there again', async () => {
    const { outer, before, terminal, proxy } = await attachByProxy();
    proxy.say(Buffer.from([0x81, 100]));
    proxy.cut();
    const drawnAgain = /waiting for the service[\s\S]*\x1b\[23;0t\x1b\[22;0t/;
    await eventually('the screen is drawn again', () => drawnAgain.test(outer.written));
    outer.type('again');
    await outer.shows('again');
    await outer.showsExactly(terminal);
    outer.type('\x1cd');
    await outer.shows('ended 0');
    expect(outer.state).toEqual(before);
  });

  test('after SIGINT before the service has answered', async () => {
    const outer = openOuter();
    await outer.shows('person$');
    const before = outer.state;
    const terminal = await createIn(used.service.home, ['cat']);
    const proxy = openProxy(used.service.url);
    proxy.mute();
    outer.run(used.service.home, 'attach', terminal.id, '--url', await proxy.listen());
    await proxy.asked();
    outer.type('\x03');
    await outer.shows('ended 130');
    expect(outer.state).toEqual(before);
  });

  test('after the service is stopped for good', async () => {
    const service = await startService();
    const outer = openOuter();
    try {
      await outer.shows('person$');
      const before = outer.state;
      const client = connectTo(ofHome(service.home));
      const { id } = await client.terminals.create({ command: ['sh', '-c', SCRIPT], name: 'mine' });
      outer.run(service.home, 'attach', id);
      await outer.shows('modes are set');
      await service.kill('SIGTERM');
      await outer.shows(/ended \d/);
      expect(outer.rows.join('\n')).toContain('[mine was closed]');
      expect(outer.state).toEqual(before);
    } finally {
      await service.stop();
    }
  });
});

describe('attach ends', () => {
  test('when the outer terminal is closed', async () => {
    const outer = openOuter();
    const terminal = await createIn(used.service.home, ['sh', '-c', SCRIPT]);
    outer.run(used.service.home, 'attach', terminal.id);
    await outer.shows('modes are set');
    const { pid } = outer;
    outer.close();
    await eventually('the process has ended', () => processInfo(pid) === undefined);
    await eventually('it is detached', async () => (await terminal.clients()).length === 0);
  });

  test('by SIGTERM also if the outer terminal takes nothing', async () => {
    const outer = openOuter();
    const terminal = await createIn(used.service.home, ['yes']);
    outer.run(used.service.home, 'attach', terminal.id);
    await outer.shows('y\ny\ny');
    outer.isReading = false;
    const { pid } = outer;
    await eventually('it has to wait to write', () => outer.isFull());
    process.kill(pid, 'SIGTERM');
    await eventually('the process has ended', () => processInfo(pid) === undefined);
    await eventually('it is detached', async () => (await terminal.clients()).length === 0);
    await terminal.close();
  });
});
