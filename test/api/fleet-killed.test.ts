import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FleetStatus } from '#dist/contract/fleet-machines.js';
import {
  connected,
  type FleetMachine,
  grant,
  invite,
  makeHub,
  online,
  pair,
  startMachine,
} from '../support/fleet.js';
import { serverOf } from '../support/fleet-cut.js';
import { countsIn, settledAt } from '../support/fleet-settled.js';
import { eventually, hostPidOf } from '../support/processes.js';

/** Whether each victim is killed at every step; by default each victim is killed at one step of each test. */
const isWhole = process.env.AUTO_TERMINAL_FLEET_KILLS === 'all';

let hub: FleetMachine;
let laptop: FleetMachine;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'at-killed-'));
  [hub, laptop] = await Promise.all([startMachine(), startMachine()]);
  await makeHub(hub);
});
afterEach(async () => {
  await Promise.all([hub, laptop].map((each) => each?.service.stop()));
  await rm(folder, { recursive: true, force: true });
});

async function again(machine: FleetMachine): Promise<FleetMachine> {
  const { home } = machine.service;
  await machine.service.kill('SIGKILL');
  return { ...(await startMachine(home)), id: machine.id };
}

/** Kills one process of the fleet; a killed service is started again. */
const VICTIMS = {
  server: async () => {
    const pid = await serverOf(hub);
    process.kill(pid, 'SIGKILL');
    await eventually('another server', async () => (await serverOf(hub).catch(() => pid)) !== pid);
  },
  "hub's service": async () => {
    hub = await again(hub);
  },
  "peer's service": async () => {
    laptop = await again(laptop);
  },
  "peer's pty host": async () => {
    process.kill(hostPidOf(laptop.service.home), 'SIGKILL');
  },
};
type Victim = keyof typeof VICTIMS;
const victims = Object.keys(VICTIMS) as Victim[];

function chosen<Step extends string>(steps: readonly Step[]): [Victim, Step][] {
  return victims.flatMap((victim, index) =>
    steps
      .filter((_step, at) => isWhole || at === index % steps.length)
      .map((step): [Victim, Step] => [victim, step]),
  );
}

describe('pairing', () => {
  test.each(chosen(['invited', 'asked', 'approved', 'admitted']))(
    '%s killed when it was %s',
    async (victim, step) => {
      const kill = async (now: string) => {
        if (now === step) await VICTIMS[victim]();
      };
      const { code } = await invite(hub);
      await kill('invited');
      await connected(hub);
      const ask = () =>
        eventually('the words', async () => {
          const { status, body } = await laptop.api.post<{ words: string }>('/api/fleet/join', { code });
          return status === 202 && body.words;
        });
      let words = await ask();
      await kill('asked');
      await connected(hub);
      const request = await eventually('the request', async () => {
        const { body } = await hub.api.get<{ requests: { id: string; words: string }[] }>(
          '/api/fleet/requests',
        );
        const found = body.requests?.find((each) => each.words === words);
        // A conversation whose hub or laptop was killed begins again with the same invitation.
        if (!found) words = await ask();
        return found;
      });
      expect((await hub.api.post(`/api/fleet/requests/${request.id}/approve`)).status).toBe(200);
      await kill('approved');
      // A guest whose conversation was cut off gives up and reports that: it joins with another invitation.
      const state = await eventually('the fleet, or the end of the attempt', async () => {
        const { body } = await laptop.api.get<FleetStatus>('/api/fleet/status');
        if (body.role === 'member') return 'member';
        return body.joining?.state !== 'waiting' && 'ended';
      });
      if (state === 'ended') {
        await connected(hub);
        await pair(hub, laptop);
      } else {
        laptop.id = (await connected(laptop)).machineId!;
        await online(hub, laptop.id);
      }
      await online(laptop, hub.id);
      await kill('admitted');
      for (const machine of [hub, laptop]) await connected(machine);
      await online(hub, laptop.id);
      await online(laptop, hub.id);
    },
  );
});

describe('a run', () => {
  test.each(chosen(['been sent', 'been typed', 'ended']))(
    '%s killed when it has %s',
    async (victim, step) => {
      await pair(hub, laptop);
      await grant(laptop, hub, { can: ['observe', 'execute'] });
      const { id: terminalId } = (await laptop.api.post<{ id: string }>('/api/terminals', {})).body;
      const file = join(folder, 'ran');
      const lines = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter(Boolean);
      const body = { terminalId, machineId: laptop.id, command: `echo ran >> ${file}; sleep 1` };
      const run = async () => {
        const answer = await hub.api.raw({
          ...{ method: 'POST', path: '/api/fleet/execute', body: JSON.stringify(body) },
          headers: { 'content-type': 'application/json', 'idempotency-key': 'run' },
        });
        return {
          status: answer.status,
          body: JSON.parse(answer.body) as { runId: string; exitCode: number },
        };
      };
      // If the hub's own service is killed, its client gets no answer.
      const first = run().catch(() => undefined);
      // The request may be anywhere on its way when the victim is killed.
      if (step === 'been sent') await VICTIMS[victim]();
      else await eventually('the command', async () => (await lines()).length > 0);
      if (step === 'been typed') await VICTIMS[victim]();
      await first;
      if (step === 'ended') await VICTIMS[victim]();
      const isHostDead = victim === "peer's pty host" && step !== 'ended';
      const known = await eventually('the result', async () => {
        const answer = await run();
        if (answer.status === 200) return answer.body;
        // The terminal is gone with the host: the run has failed, and is not run again.
        return isHostDead && answer.status < 503 && answer.status >= 400 && answer.body;
      });
      const ran = await lines();
      // The host may have died before it got the command.
      expect(ran).toEqual(isHostDead && step === 'been sent' ? ran.slice(0, 1) : ['ran']);
      if (isHostDead) return;
      expect(known.exitCode).toBe(0);
      // The hub has kept its own answer; the results come from the machine, once it is back.
      const results = await eventually('the result there', async () => {
        const path = `/api/machines/${laptop.id}/runs/${known.runId}`;
        const { status, body: found } = await hub.api.get<{ results: object[] }>(path);
        return status === 200 && found.results;
      });
      expect(results).toMatchObject([{ done: true, exitCode: 0 }]);
      expect(await lines()).toEqual(['ran']);
    },
  );
});

describe("a run whose owner's service is killed", () => {
  test('is followed to its exit code', async () => {
    await pair(hub, laptop);
    await grant(laptop, hub, { can: ['execute'] });
    const { id } = (await laptop.api.post<{ id: string }>('/api/terminals', {})).body;
    const [ran, go] = [join(folder, 'ran'), join(folder, 'go')];
    const command = `echo ran >> ${ran}; while [ ! -e ${go} ]; do sleep 0.1; done; (exit 7)`;
    const first = settledAt<{ runId: string; results: object[] }>(hub, laptop.id, {
      path: `/api/machines/${laptop.id}/terminals/batch/run`,
      body: { terminalIds: [id], command },
    });
    await eventually('the command', async () => (await countsIn(ran)).ran === 1);
    // The rights of the hub are known only once the directory was read, which is after the runs have been resumed.
    laptop = await again(laptop);
    await writeFile(go, '');
    const outcome = [{ success: true, done: true, exitCode: 7 }];
    const { runId, results } = await first;
    expect(results).toMatchObject(outcome);
    expect((await laptop.api.get(`/api/runs/${runId}`)).body).toMatchObject({ results: outcome });
    expect(await countsIn(ran)).toEqual({ ran: 1 });
  });
});
