import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { createApi } from '../support/http.js';
import { readStream, startRun } from '../support/run-stream.js';
import { openTerminal } from '../support/runs.js';
import { startService } from '../support/service.js';

const SHELLS = ['bash', 'dash', 'bash', 'dash'];

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-streams-'));
});
afterAll(() => rm(folder, { recursive: true }));

const go = (name: string) => `until [ -e ${folder}/${name} ]; do sleep 0.02; done`;
const makeFile = (name: string) => writeFile(join(folder, name), '');

describe('the stream of a run', () => {
  it('breaks off when the service is killed, and begins anew at the next', async () => {
    let service = await startService();
    try {
      const { home } = service;
      const api = createApi(service.url);
      const ids = await Promise.all(SHELLS.map((shell) => openTerminal(api, [shell])));
      const command = `echo one; ${go('k1')}; printf '10%%\\r'; ${go('k2')}; echo 99%; printf last; (exit 4)`;
      const runId = await startRun(api, ids, command);
      const first = await readStream(service.url, runId);
      await first.until(() => ids.every((id) => first.text(id) === 'one\n'));
      await service.kill('SIGKILL');
      await first.closed;
      expect(first.events.filter(({ type }) => type !== 'output')).toEqual([]);
      // The commands go on while no service runs.
      await makeFile('k1');
      service = await startService({ home });
      const next = await readStream(service.url, runId);
      await next.until(() => ids.every((id) => next.text(id) === 'one\n'));
      await makeFile('k2');
      await next.end();
      expect(ids.map((id) => next.text(id))).toEqual(ids.map(() => 'one\n99%\nlast'));
      expect(next.of('gap')).toEqual([]);
      expect(next.of('result').map(({ done, exitCode }) => [done, exitCode])).toEqual(
        ids.map(() => [true, 4]),
      );
    } finally {
      await service.stop();
    }
  });

  it('ends without `end` when the service stops', async () => {
    const service = await startService();
    const api = createApi(service.url);
    const ids = await Promise.all(SHELLS.map((shell) => openTerminal(api, [shell])));
    const runId = await startRun(api, ids, 'echo one; sleep 600');
    const reader = await readStream(service.url, runId);
    await reader.until(() => ids.every((id) => reader.text(id) === 'one\n'));
    await service.stop();
    await reader.closed;
    expect(new Set(reader.events.map(({ type }) => type))).toEqual(new Set(['output']));
  });
});

describe('the stream of a run whose shards die', () => {
  let running: AppInProcess;
  beforeAll(async () => {
    running = await startAppInProcess({ terminals: { shards: 2 } });
  });
  afterAll(() => running?.stop());

  it('goes on', async () => {
    const api = createApi(running.app.url);
    const ids = await Promise.all([...SHELLS, ...SHELLS].map((shell) => openTerminal(api, [shell])));
    const lines = [1, 2, 3].map((line) => `${go(`s${line}`)}; echo ${line}`).join('; ');
    const runId = await startRun(api, ids, `echo 0; ${lines}`);
    const reader = await readStream(running.app.url, runId);
    const untilText = (text: string) => reader.until(() => ids.every((id) => reader.text(id) === text));
    await untilText('0\n');
    for (const [line, text] of [
      [1, '0\n1\n'],
      [2, '0\n1\n2\n'],
      [3, '0\n1\n2\n3\n'],
    ] as const) {
      const shards = await running.app.terminals.shards;
      await shards.kill(line % 2);
      await makeFile(`s${line}`);
      await untilText(text);
    }
    await reader.end();
    expect(reader.of('gap')).toEqual([]);
  });
});
