import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WaitAnswer } from '#dist/contract/wait.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { CLAUDE, drawnAgent } from '../support/drawn-agents.js';
import { type FakeAgents, fakeAgents } from '../support/fake-agents.js';
import { type Api, createApi } from '../support/http.js';
import { type PendingWait, WaitClient } from '../support/waits.js';

const timeoutMs = 50_000;

let running: AppInProcess;
let api: Api;
let agents: FakeAgents;
let folder: string;
const waits = new WaitClient(() => api);

// One service for each test: shards that die too often are not started again.
beforeEach(async () => {
  running = await startAppInProcess({ terminals: { shards: 2 } });
  api = createApi(running.app.url);
  agents = await fakeAgents();
  folder = await mkdtemp(join(tmpdir(), 'at-wait-'));
});
afterEach(async () => {
  expect(running.fatal).toEqual([]);
  await running?.stop();
  await agents?.remove();
  await rm(folder, { recursive: true });
});

async function killShards(): Promise<void> {
  const shards = await running.app.terminals.shards;
  await Promise.all([shards.kill(0), shards.kill(1)]);
}

const answer = async (wait: PendingWait): Promise<WaitAnswer> => (await wait.answer).body;

describe('a shard that dies during a wait', () => {
  it('until text: text before the death, while there is no shard, and after it is found', async () => {
    const id = await waits.printing();
    const since = await waits.cursor(id);
    const bodies = [
      { text: 'needle' },
      { text: 'needle', since },
      { regex: 'ne+dle' },
      { regex: 'ne+dle', since },
    ];
    const all: PendingWait[] = [];
    for (const body of bodies) all.push(await waits.begin(id, { until: 'text', timeoutMs, ...body }));
    await waits.type(id, 'hay\\na nee\r');
    await waits.shown(id, 'nee');
    await killShards();
    await waits.type(id, 'dle\\n\r');
    for (const each of await Promise.all(all.map(answer))) {
      expect(each).toMatchObject({ done: true, reason: 'text', match: 'needle', raw: 'hay\na needle' });
    }
  });

  it('until text: a text is found whose beginning the screen has shown before the wait', async () => {
    const id = await waits.printing();
    await waits.type(id, 'hay\\na nee\r');
    await waits.shown(id, 'nee');
    const all = [
      await waits.begin(id, { until: 'text', text: 'needle', timeoutMs }),
      await waits.begin(id, { until: 'text', regex: 'ne+dle', timeoutMs }),
    ];
    await killShards();
    await waits.type(id, 'dle\\n\r');
    for (const each of await Promise.all(all.map(answer)))
      expect(each).toMatchObject({ done: true, reason: 'text', match: 'needle' });
  });

  it("until text: a program's output at that moment is found", async () => {
    for (let round = 0; round < 4; round++) {
      const file = join(folder, `${round}`);
      const script = `echo ready; until [ -e ${file} ]; do sleep 0.01; done; echo the needle; exec cat`;
      const id = await waits.open(['sh', '-c', script]);
      await waits.shown(id, 'ready');
      const all = [
        await waits.begin(id, { until: 'text', text: 'needle', timeoutMs }),
        await waits.begin(id, { until: 'text', regex: 'ne+dle', timeoutMs }),
      ];
      await Promise.all([killShards(), writeFile(file, '')]);
      for (const each of await Promise.all(all.map(answer))) {
        expect(each).toMatchObject({ done: true, reason: 'text', match: 'needle' });
      }
    }
  });

  it('until command and prompt: the end is reported as before', async () => {
    const id = await waits.open(['bash']);
    await waits.wait(id, { until: 'prompt', timeoutMs });
    await waits.type(id, "sh -c 'echo begun; read x; exit 3'\r");
    await waits.shown(id, '\nbegun');
    const command = await waits.begin(id, { until: 'command', timeoutMs });
    const prompt = await waits.begin(id, { until: 'prompt', timeoutMs });
    await killShards();
    await waits.type(id, '\r');
    expect(await answer(command)).toMatchObject({ reason: 'command', exitCode: 3, waitedBy: 'integration' });
    expect(await answer(prompt)).toMatchObject({ done: true, reason: 'prompt' });
  });

  it('until command if the shell is not integrated', async () => {
    const id = await waits.open(['dash']);
    await waits.wait(id, { until: 'prompt', timeoutMs });
    await waits.type(id, "sh -c 'echo begun; read x'\r");
    await waits.shown(id, '\nbegun');
    const command = await waits.begin(id, { until: 'command', timeoutMs });
    await killShards();
    await waits.type(id, '\r');
    expect(await answer(command)).toMatchObject({ reason: 'command', waitedBy: 'foreground' });
  });

  it('until exit and idle', async () => {
    const id = await waits.open(['sh', '-c', 'echo ready; read x; exit 4']);
    await waits.shown(id, 'ready');
    const exit = await waits.begin(id, { until: 'exit', timeoutMs });
    const idle = await waits.begin(id, { until: 'idle', idleMs: 1_000, timeoutMs });
    const text = await waits.begin(id, { until: 'text', text: 'never', timeoutMs });
    await killShards();
    expect(await answer(idle)).toMatchObject({ done: true, reason: 'idle' });
    expect([exit.isSettled(), text.isSettled()]).toEqual([false, false]);
    await waits.type(id, '\r');
    expect(await answer(exit)).toMatchObject({ done: true, reason: 'exit', exitCode: 4 });
    expect(await answer(text)).toMatchObject({ done: false, reason: 'exit', exitCode: 4 });
  });

  it('until agent', async () => {
    const id = await waits.open([await agents.script('bin/claude', drawnAgent(CLAUDE))]);
    await waits.shown(id, '? for shortcuts');
    const waiting = await waits.begin(id, { until: 'agent', agentStatus: 'waiting', timeoutMs });
    await killShards();
    await waits.type(id, 'p');
    expect(await answer(waiting)).toMatchObject({ done: true, reason: 'agent', agentStatus: 'waiting' });
  });

  it('the timeout stays the same, and no wait goes on', async () => {
    const id = await waits.printing();
    const begin = performance.now();
    const late = [{ text: 'never' }, { regex: 'ne+ver' }].map((body) =>
      waits.wait(id, { until: 'text', timeoutMs: 1_500, ...body }),
    );
    await killShards();
    for (const each of await Promise.all(late))
      expect(each).toMatchObject({ done: false, reason: 'timeout' });
    expect(performance.now() - begin).toBeGreaterThanOrEqual(1_500);
    await waits.none();
  });
});
