import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { failed } from '../support/failed.js';
import { createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { startService } from '../support/service.js';
import { useService } from '../support/use-service.js';
import { ENDLESS_WAITS } from '../support/wait-kinds.js';
import { WaitClient } from '../support/waits.js';

const used = useService();
const waits = new WaitClient(() => used.api);

/** The longest allowed timeout: no wait must end by it. */
const timeoutMs = 3_600_000;

/** Sends a wait whose client leaves when the signal fires; resolves with the outcome for the client. */
async function leaving(url: string, id: string, body: object, signal: AbortSignal): Promise<string> {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ timeoutMs, ...body }),
    signal,
  };
  return fetch(`${url}/api/terminals/${id}/wait`, request).then(
    ({ status }) => `answered: ${status}`,
    (error: Error) => error.name,
  );
}

const counted = (count: number) => eventually(`${count} wait`, async () => (await waits.count()) === count);

/** Node's warnings about forgotten listeners, and the service's logged faults. */
function complaints(): string[] {
  const isComplaint = (line: string) => /MaxListeners|Unhandled|"level":[456]0/.test(line);
  return used.service.log().split('\n').filter(isComplaint);
}

describe('waits', () => {
  it.each(ENDLESS_WAITS)('are released when their client leaves: %j', async (body) => {
    const id = await waits.printing();
    const client = new AbortController();
    const left = leaving(used.service.url, id, body, client.signal);
    await counted(1);
    client.abort();
    expect(await left).toBe('AbortError');
    await counted(0);
    await used.api.delete(`/api/terminals/${id}`);
  });

  it('200 of them on one terminal are all answered by one text', async () => {
    const id = await waits.printing();
    const since = await waits.cursor(id);
    const bodies = [
      { text: 'needle' },
      { text: 'needle', since },
      { regex: 'ne+dle' },
      { regex: 'ne+dle', since },
    ];
    const all = Array.from({ length: 200 }, (_, index) =>
      waits.wait(id, { until: 'text', timeoutMs, ...bodies[index % bodies.length] }),
    );
    await counted(200);
    await waits.type(id, 'a needle\\n\r');
    for (const answer of await Promise.all(all)) {
      expect(answer).toMatchObject({ done: true, reason: 'text', match: 'needle', raw: 'a needle' });
    }
    await counted(0);
    expect(complaints()).toEqual([]);
  });

  it('leave nothing behind, however they end: 600 of all kinds', async () => {
    const { url } = used.service;
    const round = async () => {
      const [met, exits, closes, stays] = await Promise.all([
        waits.open(['sh', '-c', 'stty -echo; echo ready; read x; echo never; exit 3']),
        waits.printing(),
        waits.printing(),
        waits.printing(),
      ] as const);
      await waits.shown(met, 'ready');
      const client = new AbortController();
      const send = (id: string, body: object) => waits.send(id, { ...body, timeoutMs });
      // Waits that are met, whose terminal exits or is closed, that time out, or whose clients leave.
      const answered = ENDLESS_WAITS.flatMap((body) => [
        send(met, body),
        send(exits, body),
        send(closes, body),
      ]);
      const late = ENDLESS_WAITS.map((body) => waits.wait(stays, { ...body, timeoutMs: 100 }));
      const left = ENDLESS_WAITS.map((body) => leaving(url, stays, body, client.signal));
      for (const { reason } of await Promise.all(late)) expect(reason).toBe('timeout');
      await counted(answered.length + left.length);
      await waits.type(met, '\r');
      await waits.type(exits, '\x04');
      await used.api.delete(`/api/terminals/${closes}`);
      client.abort();
      const statuses = (await Promise.all(answered)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([]);
      expect(new Set(await Promise.all(left))).toEqual(new Set(['AbortError']));
      for (const id of [met, exits, stays]) await used.api.delete(`/api/terminals/${id}`);
      await counted(0);
      return answered.length + late.length + left.length;
    };
    for (let done = 0; done < 600; ) done += await round();
    expect(complaints()).toEqual([]);
  });
});

describe('a service that is stopped', () => {
  it('answers all waits, of any kind, and waits for none of them', async () => {
    const service = await startService({ env: { SHELL: '/bin/sh' } });
    const own = new WaitClient(() => api);
    const api = createApi(service.url);
    const quiet = await own.printing();
    const shell = await own.open(['bash']);
    await own.wait(shell, { until: 'prompt', timeoutMs });
    await own.type(shell, 'sleep 1000\r');
    const many = await own.open(['sh', '-c', "head -c 1000000 /dev/zero | tr '\\0' a; printf '!'; read x"]);
    await own.shown(many, 'a!');
    const begun = [
      ...ENDLESS_WAITS.flatMap((body) => [quiet, shell].map((id) => own.send(id, { ...body, timeoutMs }))),
      // These waits are in progress while the service stops.
      ...Array.from({ length: 4 }, () => own.send(many, { until: 'text', regex: '(a+)+$', timeoutMs })),
    ];
    await eventually('they all wait', async () => (await own.count()) === begun.length);
    expect(await service.kill('SIGTERM')).toBe(0);
    for (const { status, body } of await Promise.all(begun)) {
      expect([status, body]).toEqual([503, failed('Service is shutting down')]);
    }
    rmSync(service.home, { recursive: true });
  });
});
