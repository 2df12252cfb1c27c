import { describe, expect, test } from 'vitest';
import { NotFoundError, type ServiceEvent } from '#dist/client/index.js';
import { eventually } from '../support/processes.js';
import { closeAfterEach, connectTo, ofHome } from '../support/sdk.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
closeAfterEach();

describe('a client', () => {
  test('finds the service of its user, over the socket, and runs a command', async () => {
    const client = connectTo(ofHome(used.service.home));
    expect(await client.health()).toMatchObject({ status: 'ok', app: 'auto-terminal' });
    const terminal = await client.terminals.create({ labels: { case: 'first' } });
    expect(terminal.created).toMatchObject({ id: terminal.id, mode: 'api', labels: { case: 'first' } });
    expect(await terminal.run('echo hello; (exit 3)')).toMatchObject({ exitCode: 3, raw: 'hello\n' });
    const views = [];
    for await (const view of client.terminals.views({ selector: 'case=first', limit: 1 })) views.push(view);
    expect(views).toMatchObject([{ id: terminal.id, command: { exitCode: 3 } }]);
    await terminal.close();
    await expect(terminal.info()).rejects.toThrow(NotFoundError);
  });

  test('gives the lines of a command as they come', async () => {
    const terminal = await connectTo(ofHome(used.service.home)).terminals.create({ command: ['bash'] });
    const ran = terminal.run('echo one; read x; echo "two $x"; printf end; (exit 9)');
    const lines: string[] = [];
    for await (const line of ran) {
      lines.push(line);
      if (line === 'one') await terminal.type('more\r');
    }
    expect(lines.filter((line) => line !== 'more')).toEqual(['one', 'two more', 'end']);
    expect(await ran).toMatchObject({ exitCode: 9 });
  });

  test('reads a terminal in all ways, and types into it', async () => {
    const client = connectTo(ofHome(used.service.home));
    const terminal = await client.terminals.create({ command: ['bash'], cols: 60, rows: 10 });
    await terminal.waitFor({ until: 'prompt' });
    await terminal.type('echo typed');
    await terminal.keys(['enter']);
    expect(await terminal.waitFor({ until: 'text', text: 'typed' })).toMatchObject({ done: true });
    expect((await terminal.output({ lines: 50 })).raw).toContain('typed');
    expect((await terminal.snapshot()).snapshot).toContain('typed');
    expect((await terminal.capture()).content).toContain('typed');
    expect([...(await terminal.screenshot()).subarray(1, 4)]).toEqual([...Buffer.from('PNG')]);
    expect(await terminal.size()).toEqual({ cols: 60, rows: 10 });
    await terminal.resize({ cols: 70, rows: 12 });
    expect(await terminal.size()).toEqual({ cols: 70, rows: 12 });
    const { commands } = await terminal.commands();
    expect(commands[0]).toMatchObject({ commandLine: 'echo typed' });
  });

  test('follows a run: what it prints, its results, and its end', async () => {
    const client = connectTo(ofHome(used.service.home));
    const terminals = await Promise.all([1, 2].map(() => client.terminals.create({ command: ['bash'] })));
    const terminalIds = terminals.map(({ id }) => id);
    const run = await client.select(terminalIds).start('echo one; sleep 0.2; echo two; (exit 3)');
    const texts: Record<string, string> = {};
    const types: string[] = [];
    for await (const event of run.stream()) {
      types.push(event.type);
      if (event.type === 'output') texts[event.terminalId] = (texts[event.terminalId] ?? '') + event.text;
    }
    expect(terminalIds.map((id) => texts[id])).toEqual(['one\ntwo\n', 'one\ntwo\n']);
    expect(types.filter((type) => type === 'result')).toHaveLength(2);
    expect(types.at(-1)).toBe('end');
  });

  test('reads all bytes of a program that is held for it, and then how it ended', async () => {
    const client = connectTo(ofHome(used.service.home));
    const command = ['sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" a; exit 7'];
    const terminal = await client.terminals.create({ command, hold: true });
    let bytes = 0;
    for await (const piece of terminal.stream()) bytes += piece.length;
    expect(bytes).toBe(3_000_000);
    expect(await terminal.waitFor({ until: 'exit' })).toMatchObject({ exitCode: 7 });
  });

  test('attaches: screen, input, sizes, and a screen again after the service was killed', async () => {
    let service = await startService({ env: { SHELL: '/bin/bash' } });
    try {
      const client = connectTo(ofHome(service.home));
      const { id } = await client.terminals.create({ command: ['bash'], cols: 90, rows: 20 });
      const terminal = client.terminals.get(id);
      await terminal.waitFor({ until: 'prompt' });
      const attachment = terminal.attach({ cols: 70, rows: 15, name: 'mine' });
      const seen: string[] = [];
      let text = '';
      for await (const event of attachment) {
        seen.push(event.type);
        if (event.type === 'reset' || event.type === 'disconnected') text = '';
        if (event.type === 'reset' || event.type === 'output') text += event.data;
        if (event.type === 'resized' && seen.filter((type) => type === 'resized').length === 1) {
          expect(await terminal.clients()).toMatchObject([
            { name: 'mine', isLeader: true, cols: 70, rows: 15 },
          ]);
          await attachment.type('echo "<$((40 + 2))>"\r');
        }
        // The brackets exclude a mark of the shell: it has a process id, which may contain any digits.
        if (text.includes('<42>') && !seen.includes('disconnected')) {
          await service.kill('SIGKILL');
          service = await startService({ home: service.home, env: { SHELL: '/bin/bash' } });
        } else if (text.includes('<42>')) {
          await attachment.detach();
        }
      }
      expect(seen[0]).toBe('reset');
      expect(seen.slice(seen.indexOf('disconnected'))).toContain('reset');
      expect(await terminal.size()).toEqual({ cols: 90, rows: 20 });
    } finally {
      await service.stop();
    }
  });

  test('detaches while its events are read, each time', async () => {
    const terminal = await connectTo(ofHome(used.service.home)).terminals.create({ command: ['cat'] });
    for (let time = 0; time < 20; time++) {
      const attachment = terminal.attach({ cols: 80, rows: 20 });
      let begun = () => {};
      const isBegun = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const read = (async () => {
        for await (const { type } of attachment) if (type === 'reset') begun();
      })();
      await isBegun;
      await attachment.detach();
      await read;
    }
    expect(await terminal.clients()).toEqual([]);
  });

  test('follows screens across a kill of the service, and then begins with all rows', async () => {
    let service = await startService();
    const client = connectTo(ofHome(service.home));
    const terminal = await client.terminals.create({ command: ['sh', '-c', 'echo before; exec cat'] });
    const froms: (number | null)[] = [];
    for await (const { from, lines } of client.screens([{ terminalId: terminal.id, fps: 10 }])) {
      froms.push(from);
      const text = JSON.stringify(lines);
      if (froms.length === 1) {
        expect(text).toContain('before');
        await service.kill('SIGKILL');
        service = await startService({ home: service.home });
        await terminal.type('after');
      }
      if (text.includes('after')) break;
    }
    expect(froms.slice(0, 2)).toEqual([null, null]);
    await service.stop();
  });

  test('follows events across a kill of the service, each once', async () => {
    let service = await startService({ env: { SHELL: '/bin/bash' } });
    try {
      const client = connectTo(ofHome(service.home));
      const { id } = await client.terminals.create({ command: ['bash'] });
      const stopping = new AbortController();
      const seen: string[] = [];
      let ready = () => {};
      const isReady = new Promise<void>((resolve) => {
        ready = resolve;
      });
      const followed = (async () => {
        const options = { types: ['command.finished'], signal: stopping.signal, onReady: () => ready() };
        for await (const event of client.events(options)) {
          seen.push(event.type === 'reset' ? 'reset' : String((event as ServiceEvent).data.commandLine));
        }
      })();
      const ended = followed.catch((reason: unknown) => reason);
      await isReady;
      for (const command of ['echo 1', 'echo 2']) await client.terminals.get(id).run(command);
      await eventually('two are seen', () => seen.length === 2);
      await service.kill('SIGKILL');
      service = await startService({ home: service.home, env: { SHELL: '/bin/bash' } });
      for (const command of ['echo 3', 'echo 4']) await client.terminals.get(id).run(command);
      await eventually('all are seen', () => seen.includes('echo 4'));
      expect(seen).toEqual(['echo 1', 'echo 2', 'echo 3', 'echo 4']);
      stopping.abort('enough');
      expect(await ended).toBe('enough');
    } finally {
      await service.stop();
    }
  });

  test('records a terminal, and exports the recording', async () => {
    const client = connectTo(ofHome(used.service.home));
    const env = { OUR_TOKEN: 'correct-horse' };
    const terminal = await client.terminals.create({ command: ['bash'], env, secrets: ['OUR_TOKEN'] });
    const id = await terminal.record();
    await terminal.run('echo recorded "$OUR_TOKEN"');
    expect(await client.recordings.stop(id)).toMatchObject({ status: 'stopped' });
    const textOf = async (redact?: boolean) => {
      const pieces = [];
      for await (const piece of client.recordings.export(id, 'text', { redact })) pieces.push(piece);
      return Buffer.concat(pieces).toString();
    };
    expect(await textOf()).toContain('recorded correct-horse');
    expect(await textOf(true)).toMatch(/recorded \[redacted:OUR_TOKEN:/);
    await client.recordings.delete(id);
    await expect(client.recordings.info(id)).rejects.toThrow(NotFoundError);
  });

  test('drives many terminals at once', async () => {
    const client = connectTo(ofHome(used.service.home));
    const labels = { case: 'many' };
    const { results } = await client.terminals.createMany(
      [0, 1, 2].map(() => ({ command: ['bash'], labels })),
    );
    const ids = results.map(({ terminal }) => terminal!.id);
    const ran = await client.select('case=many').run('(exit 4)');
    expect(ran.summary).toMatchObject({ total: 3, nonZero: 3 });
    const each = await client.runEach(
      ids.map((terminalId, index) => ({ terminalId, command: `(exit ${index})` })),
    );
    expect(each.results.map(({ exitCode }) => exitCode)).toEqual([0, 1, 2]);
    const failed = await client.select(ids).wait({ until: ['failed'], mode: 2 });
    expect(failed.results.map(({ command }) => command?.exitCode)).toEqual([1, 2]);
    const run = await client.select('case=many').start('read x; (exit 5)');
    await eventually('all read', async () => {
      const { terminals } = await client.request<{ terminals: { atPrompt: boolean }[] }>(
        'GET',
        '/api/terminals',
        {
          query: { view: 'full', selector: 'case=many' },
        },
      );
      return terminals.every(({ atPrompt }) => !atPrompt);
    });
    await client.select('case=many').type('go\r');
    expect(await run.ended()).toMatchObject({ state: 'finished', summary: { nonZero: 3 } });
  });
});
