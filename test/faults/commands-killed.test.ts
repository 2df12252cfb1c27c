import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, describe, expect, it } from 'vitest';
import { KEPT_CODEC } from '#dist/actors/commands/kept-record.js';
import { resolvePaths } from '#dist/config/paths.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { openStore } from '#dist/store/lmdb-store.js';
import { ShellTerminal } from '../support/commands.js';
import { createApi } from '../support/http.js';
import { eventually, processInfo } from '../support/processes.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
afterEach(() => service.stop());

const linesOf = async (shell: ShellTerminal) => {
  const { commands } = await shell.list();
  return commands.map(({ commandLine, exitCode }) => `${commandLine} ${exitCode}`);
};

/** Returns a command that ends with exit code 6 once the file exists. */
const waitingFor = (file: string) => `until [ -e ${file} ]; do sleep 0.01; done; echo done; (exit 6)`;

async function killAndRestart(shells: ShellTerminal[], meanwhile: () => Promise<void> = async () => {}) {
  const { home } = service;
  await service.kill('SIGKILL');
  await meanwhile();
  service = await startService({ home });
  for (const shell of shells) shell.api = createApi(service.url);
}

describe('a service that is killed while commands run', () => {
  it('has the earlier commands, still runs the running ones, and learns how they end', async () => {
    service = await startService();
    const shell = await ShellTerminal.open(createApi(service.url));
    const first = await shell.run('(exit 3)');
    // The flood is more than the pty host holds, so only the store knows the first command.
    const flood = await shell.run('seq 200000');
    const file = `${service.home}/go`;
    await shell.type(`${waitingFor(file)}\r`);
    const { id } = await shell.listed(waitingFor(file));
    for (let round = 0; round < 2; round++) {
      await killAndRestart([shell]);
      // The shard again finds the marks that were reported just before the kill.
      await shell.listed(waitingFor(file));
      const { integration, commands } = await shell.list();
      expect([integration, commands.length]).toEqual(['bash', 3]);
      expect(commands[0]).toMatchObject({ id, commandLine: waitingFor(file), endedAt: null, exitCode: null });
      expect(commands[1]).toMatchObject({ id: flood.id, exitCode: 0, outputCursor: flood.outputCursor });
      expect(commands[2]).toEqual(first);
      expect((await shell.output(flood)).truncated).toBe(true);
    }
    await writeFile(file, '');
    const last = await shell.ended(waitingFor(file));
    expect(last).toMatchObject({ id, exitCode: 6 });
    expect((await shell.output(last)).raw).toBe('done\n');
    expect(await shell.run('(exit 7)')).toMatchObject({ exitCode: 7 });
  });

  it('learns of commands that ended and began while no service was running', async () => {
    service = await startService();
    const api = createApi(service.url);
    const [shell, leaving] = [await ShellTerminal.open(api), await ShellTerminal.open(api)];
    const files = [`${service.home}/go`, `${service.home}/leave`];
    // The rest is typed ahead: the shell reads it while no service is running.
    await shell.type(`${waitingFor(files[0]!)}\r`);
    await shell.listed(waitingFor(files[0]!));
    await shell.type('(exit 5)\rcat\r');
    await leaving.type(`until [ -e ${files[1]} ]; do sleep 0.01; done; exit 7\r`);
    const { id } = await leaving.listed(`until [ -e ${files[1]} ]; do sleep 0.01; done; exit 7`);
    await killAndRestart([shell, leaving], async () => {
      for (const file of files) await writeFile(file, '');
      await eventually('the shell has left', () => !isAlive(leaving.pid));
    });
    await shell.listed('cat');
    expect(await linesOf(shell)).toEqual(['cat null', '(exit 5) 5', `${waitingFor(files[0]!)} 6`]);
    await eventually('the end is known', async () => (await leaving.list()).commands[0]?.endedAt !== null);
    expect((await leaving.list()).commands).toMatchObject([{ id, exitCode: 7 }]);
    const { body } = await leaving.api.get<Terminal>(`/api/terminals/${leaving.id}`);
    expect(body).toMatchObject({ status: 'exited', exitCode: 7 });
  });

  it('keeps nothing of removed terminals, and nothing after a stop', async () => {
    service = await startService();
    const shell = await ShellTerminal.open(createApi(service.url));
    await shell.run('true');
    const { home } = service;
    await service.kill('SIGTERM');
    const [env, tmpFolder] = [{ AUTO_TERMINAL_HOME: home }, tmpdir()];
    const { storeFolder } = resolvePaths({ env, platform: process.platform, tmpFolder });
    const store = await openStore(storeFolder, { warn() {}, error() {} } as never);
    expect(store.shelf('commands', KEPT_CODEC).ids('')).toEqual([]);
    await store.close();
    service = await startService({ home });
    const path = `/api/terminals/${shell.id}/commands`;
    expect((await createApi(service.url).get(path)).status).toBe(404);
  });
});

function isAlive(pid: number): boolean {
  const info = processInfo(pid);
  return info !== undefined && info.state !== 'Z';
}
