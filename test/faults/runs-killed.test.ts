import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { BatchRunAnswer, Run } from '#dist/contract/run.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { openTerminal, runInAll } from '../support/runs.js';
import { type Service, startService } from '../support/service.js';

/** Number of kills. */
const KILLS = Number(process.env.AUTO_TERMINAL_KILLS ?? 3);
const TERMINALS = 20;
/** Time in which a run in all terminals finishes, in milliseconds. */
const RUN_MS = 1_500;
const PATH = '/api/terminals/batch/run';

let service: Service;
afterEach(() => service.stop());

/** Lines of a file in the service's home; none if it does not exist. */
function linesOf(name: string): string[] {
  try {
    return readFileSync(join(service.home, name), 'utf8').split('\n').slice(0, -1);
  } catch {
    return [];
  }
}

const keyed = (key: string): Api => createApi(service.url, { headers: { 'idempotency-key': key } });

describe('a run with a key, whose service is killed', () => {
  it('runs each command once in each terminal, however much had been done when it is retried', {
    timeout: 300_000 + KILLS * 60_000,
  }, async () => {
    service = await startService({ env: { SHELL: '/bin/bash' } });
    const { home } = service;
    const api = createApi(service.url);
    const shells = Array.from({ length: TERMINALS }, (_, index) => (index % 4 === 3 ? 'dash' : 'bash'));
    const terminalIds = await Promise.all(shells.map((shell) => openTerminal(api, [shell])));
    await runInAll(api, terminalIds, 'true');
    for (let kill = 0; kill < KILLS; kill++) {
      const command = (code: number) =>
        `echo "$SERVICE_TERMINAL_ID" >> ~/ran-${kill}; sleep 0.3; (exit ${code})`;
      // Rounds alternate between the same command everywhere and a command of its own for each terminal.
      const codes = terminalIds.map((_, place) => (kill % 2 === 0 ? 7 : place + 1));
      const runs = terminalIds.map((terminalId, place) => ({ terminalId, command: command(place + 1) }));
      const body = {
        ...(kill % 2 === 0 ? { terminalIds, command: command(7) } : { runs }),
        timeoutMs: 30_000,
      };
      fetch(service.url + PATH, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `run ${kill}` },
        body: JSON.stringify(body),
      })
        .then((response) => response.text())
        .catch(() => undefined);
      await delay(randomInt(RUN_MS));
      await service.kill('SIGKILL');
      service = await startService({ home, env: { SHELL: '/bin/bash' } });
      const first = await keyed(`run ${kill}`).post<BatchRunAnswer>(PATH, body);
      const again = await keyed(`run ${kill}`).post<BatchRunAnswer>(PATH, body);
      expect([first.status, again.status, again.body.runId]).toEqual([200, 200, first.body.runId]);
      const { body: run } = await createApi(service.url).get<Run>(`/api/runs/${first.body.runId}`);
      expect(run.results).toEqual(again.body.results);
      expect(run.results.map(({ success, done, exitCode }) => [success, done, exitCode])).toEqual(
        codes.map((code) => [true, true, code]),
      );
      await eventually('all have run it', () => linesOf(`ran-${kill}`).length >= TERMINALS);
    }
    // By the end of this run, any line that was typed twice has run.
    await runInAll(createApi(service.url), terminalIds, 'true');
    for (let kill = 0; kill < KILLS; kill++)
      expect(linesOf(`ran-${kill}`).sort()).toEqual([...terminalIds].sort());
  });
});
