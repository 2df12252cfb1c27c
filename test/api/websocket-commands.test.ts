import { describe, expect, test } from 'vitest';
import type { Command } from '#dist/contract/command.js';
import { ShellTerminal } from '../support/commands.js';
import { type Watcher, watch } from '../support/http.js';
import { useSharedService } from '../support/use-service.js';

const used = useSharedService();

/** The command events of one terminal so far, in order. */
function commandEvents({ frames }: Watcher, id: string): [type: string, command: Command][] {
  return frames
    .map(({ event }) => event)
    .filter((event) => event?.terminalId === id && event.type.startsWith('command.'))
    .map((event) => [event!.type, event!.data as unknown as Command]);
}

describe('command.started and command.finished', () => {
  test('come in order for clients with events=lifecycle, with the Command as it is listed', async () => {
    const watcher = await watch(used.service.url, 'events=lifecycle');
    const shell = await ShellTerminal.open(used.api);
    await shell.run('(exit 3)');
    await shell.run('echo done');
    await watcher.until(() => commandEvents(watcher, shell.id).length === 4);
    const [done, failed] = (await shell.list()).commands;
    const running = { endedAt: null, durationMs: null, exitCode: null };
    const begun = ({ outputCursor, ...command }: Command): Command => ({
      ...command,
      ...running,
      outputCursor: { ...outputCursor, end: null },
    });
    expect(commandEvents(watcher, shell.id)).toEqual([
      ['command.started', begun(failed!)],
      ['command.finished', failed],
      ['command.started', begun(done!)],
      ['command.finished', done],
    ]);
    expect([failed?.exitCode, done?.exitCode]).toEqual([3, 0]);
    await watcher.close();
  });

  test('finished comes after all output of the command', async () => {
    const watcher = await watch(used.service.url, 'events=lifecycle');
    const shell = await ShellTerminal.open(used.api);
    for (let round = 0; round < 30; round++) {
      const line = `seq 1 ${100 + round}; echo "last" ${round}`;
      await shell.type(`${line}\r`);
      const finished = () =>
        watcher.frames.findIndex(
          ({ event }) =>
            event?.type === 'command.finished' && (event.data as unknown as Command).commandLine === line,
        );
      await watcher.until(() => finished() !== -1);
      const before = watcher.frames.slice(0, finished()).map(({ event }) => event);
      const printed = before.map((event) => (event?.type === 'output.data' ? event.data.content : ''));
      expect(printed.join('')).toContain(`last ${round}\r\n`);
    }
    await watcher.close();
  });

  test('of a command that ends the shell: finished comes before terminal.exited', async () => {
    const watcher = await watch(used.service.url, 'events=lifecycle');
    const shell = await ShellTerminal.open(used.api);
    await shell.run('exit 7');
    const types = () =>
      watcher.frames
        .filter(({ event }) => event?.terminalId === shell.id && event.type !== 'output.data')
        .map(({ event }) => event!.type);
    await watcher.until(() => types().includes('terminal.exited'));
    expect(types()).toEqual(['terminal.created', 'command.started', 'command.finished', 'terminal.exited']);
    expect(commandEvents(watcher, shell.id).at(-1)?.[1]).toMatchObject({
      commandLine: 'exit 7',
      exitCode: 7,
    });
    await watcher.close();
  });

  test('do not come without events=lifecycle, nor of excluded terminals', async () => {
    const [shell, other] = [await ShellTerminal.open(used.api), await ShellTerminal.open(used.api)];
    const plain = await watch(used.service.url);
    const ofOther = await watch(used.service.url, `events=lifecycle&terminals=${other.id}`);
    await shell.run('true');
    await other.run('false');
    await ofOther.until(() => commandEvents(ofOther, other.id).length === 2);
    await plain.untilOutput(other.id, 'false');
    expect(commandEvents(ofOther, shell.id)).toEqual([]);
    for (const { id } of [shell, other]) expect(commandEvents(plain, id)).toEqual([]);
    await Promise.all([plain.close(), ofOther.close()]);
  });
});
