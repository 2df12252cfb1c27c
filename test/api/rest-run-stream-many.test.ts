import { beforeAll, expect, it } from 'vitest';
import type { Run } from '#dist/contract/run.js';
import { readStream, startRun } from '../support/run-stream.js';
import { openTerminal, settleHome } from '../support/runs.js';
import { useService } from '../support/use-service.js';

const TERMINALS = 100;
const TOGETHER = 10;

const used = useService();
beforeAll(() => settleHome(used.service.home));

it('streams many terminals that all print, and each to its end', async () => {
  const ids: string[] = [];
  while (ids.length < TERMINALS)
    ids.push(
      ...(await Promise.all(Array.from({ length: TOGETHER }, () => openTerminal(used.api, ['bash'])))),
    );
  const lines = `perl -e '$|=1; for (1..100) { print "line $_\\n"; select undef, undef, undef, 0.05 }'`;
  for (let run = 0; run < 3; run++) {
    const runId = await startRun(used.api, ids, lines, { timeoutMs: 240_000 });
    const [one, other] = await Promise.all([
      readStream(used.service.url, runId),
      readStream(used.service.url, runId),
    ]);
    for (const reader of [one, other]) {
      await reader.end();
      expect(
        reader
          .of('result')
          .map(({ terminalId }) => terminalId)
          .sort(),
      ).toEqual([...ids].sort());
      expect(reader.of('gap')).toEqual([]);
    }
    const { body } = await used.api.get<Run>(`/api/runs/${runId}`);
    for (const { terminalId, raw, done } of body.results) {
      expect([done, one.text(terminalId), other.text(terminalId)]).toEqual([true, raw, raw]);
    }
  }
});
