import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Caller } from '#dist/contract/caller.js';
import { AskingPrograms, socketOf } from '../support/asking-program.js';
import { onTmux } from '../support/backend.js';
import { COUNTED, heldBytes } from '../support/held-memory.js';
import { eventually, openFiles } from '../support/processes.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';

const used = useService();
let programs: AskingPrograms;
beforeAll(async () => {
  programs = await AskingPrograms.create(used.service, used.api);
});
afterAll(() => programs.remove());

const PID = expect.any(Number);
const inTerminal = (terminalId: string) => ({ terminalId, pid: PID, verified: true, via: 'socket' });
const IN_NONE = { terminalId: null, pid: PID, verified: false, via: 'none' };
const UNKNOWN = { ...IN_NONE, pid: null };

/** Asks for the caller from this process, over the unix socket. */
async function ask(socketPath: string): Promise<Caller> {
  const sent = request({ socketPath, path: '/api/caller', agent: false });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
  return (await json(answer)) as Caller;
}

const onLinux = describe.runIf(process.platform === 'linux');

onLinux('a request over the unix socket comes from the terminal', () => {
  test.each([
    ['whose program asks', 'exec $ASK'],
    ['whose program has a child with a child that asks', 'sh -c \'sh -c "$ASK; true"; true\'; true'],
    ['one of whose programs asks from a session of its own', "setsid --wait sh -c '$ASK; true'; true"],
    ['in which a program asks whose parent has ended', "sh -c '$ASK $$ & exit'; exec sleep 1000"],
    ['in which a shell without any variable asks', 'env -i sh -c "$ASK; true"; true'],
  ])('%s', async (_case, line) => {
    const both = [await programs.start(line), await programs.start(line)];
    for (const { id, answer } of both) expect(await answer()).toEqual(inTerminal(id));
  });

  test('that a header names, before that of the process, if it runs', async () => {
    const { id: other } = await programs.start('exec sleep 1000');
    const asked = async (CLAIM: string) => (await programs.start('exec $ASK', { CLAIM })).answer();
    expect(await asked(other)).toEqual({ ...inTerminal(other), verified: false, via: 'header' });
    await used.api.delete(`/api/terminals/${other}`);
    expect(await asked(other)).toMatchObject({ verified: true, via: 'socket' });
    const same = await programs.start('CLAIM=$SERVICE_TERMINAL_ID exec $ASK');
    expect(await same.answer()).toEqual({ ...inTerminal(same.id), via: 'header' });
  });
});

onLinux('a request over the unix socket comes from no terminal', () => {
  test('if a program outside of all of them asks', async () => {
    expect(await ask(programs.socket)).toEqual({ ...IN_NONE, pid: process.pid });
  });

  test('if a program has a session of its own, and its parent has ended', async () => {
    const line = "sh -c 'setsid $ASK $$ & exit'; exec sleep 1000";
    expect(await (await programs.start(line)).answer()).toEqual(IN_NONE);
  });

  test('once the program of the terminal has exited, of which a child is left', async () => {
    const { answer } = await programs.start('$LEAVE met $$');
    expect(await answer()).toEqual(IN_NONE);
  });

  test('if the program has ended before the service accepts its connection', async () => {
    const [go, gone] = ['go', 'gone'].map((name) => join(programs.folder, name));
    const { answer } = await programs.start('$LEAVE $GO; : >"$GONE"; exec sleep 1000', {
      GO: go!,
      GONE: gone!,
    });
    process.kill(used.service.pid, 'SIGSTOP');
    try {
      await writeFile(go!, '');
      await eventually('the program has ended', () => existsSync(gone!));
    } finally {
      process.kill(used.service.pid, 'SIGCONT');
    }
    expect(await answer()).toEqual(UNKNOWN);
  });
});

onLinux('a request whose connection was opened by a program that has ended since', () => {
  test('comes from the terminal of that program', async () => {
    const { id, answer } = await programs.start('$LEAVE met; exec sleep 1000');
    expect(await answer()).toEqual(inTerminal(id));
  });
});

// The test has no terminals, so a second run with tmux would test nothing new.
describe.runIf(process.platform === 'linux' && !onTmux)('thousands of connections', () => {
  test('leave neither descriptors nor memory behind', async () => {
    const service = await startService({ env: { NODE_OPTIONS: COUNTED } });
    onTestFinished(() => service.stop());
    const askMany = async (rounds: number) => {
      for (let round = 0; round < rounds; round++)
        await Promise.all(Array.from({ length: 50 }, () => ask(socketOf(service))));
      await eventually('all descriptors are closed', () => openFiles(service.pid) <= files);
      return heldBytes(service);
    };
    let files = Number.POSITIVE_INFINITY;
    await askMany(5);
    files = openFiles(service.pid);
    // Compiled code and other memory varies by up to 1 MB.
    const before = await askMany(20);
    const after = await askMany(80);
    // The record of a peer, without its socket, takes more than 1 KB.
    expect(after - before).toBeLessThan(80 * 50 * 500);
  });
});

test('a request over the network comes from no process', async () => {
  expect((await used.api.get('/api/caller')).body).toEqual(UNKNOWN);
});
