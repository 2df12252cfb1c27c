import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COUNTED, heldBytes } from '../support/held-memory.js';
import { type Api, createApi } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { connectStream, readStream, startRun } from '../support/run-stream.js';
import { openTerminal, runIn } from '../support/runs.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let api: Api;
beforeAll(async () => {
  service = await startService({ env: { NODE_OPTIONS: COUNTED } });
  api = createApi(service.url);
});
afterAll(() => service.stop());

const LINES = 200_000;
const FLOOD = `seq -f 'a line of the flood with the number %.0f in it' ${LINES}`;
const LAST = `a line of the flood with the number ${LINES} in it\n`;

describe('a client of a run that never reads', () => {
  it('costs a bounded memory, and gets a gap and the end once it reads', async () => {
    const ids = await Promise.all([1, 2, 3, 4].map(() => openTerminal(api, ['bash'])));
    // Memory that the first flood takes is used again by every later flood.
    await Promise.all(ids.map((id) => runIn(api, id, FLOOD, { timeoutMs: 120_000 })));
    const alone = await heldBytes(service);
    const runId = await startRun(api, ids, `${FLOOD}; read -r`, { timeoutMs: 240_000 });
    const stalled = await connectStream(service.url, runId);
    const reading = await readStream(service.url, runId);
    await reading.until(() => ids.every((id) => reading.text(id).endsWith(LAST)));
    expect((await heldBytes(service)) - alone).toBeLessThan(8 * 1024 * 1024);
    stalled.read();
    await stalled.until(() => ids.every((id) => stalled.text(id).endsWith(LAST)));
    expect(new Set(stalled.of('gap').map(({ terminalId }) => terminalId))).toEqual(new Set(ids));
    for (const id of ids) {
      // Between two gaps, lines are whole and in order.
      const numbers = [...stalled.text(id).matchAll(/^a line of the flood with the number (\d+) in it\n/gm)];
      const lines = numbers.map(([, number]) => Number(number));
      expect(lines.every((line, index) => index === 0 || line > lines[index - 1]!)).toBe(true);
      expect(numbers.map(([line]) => line).join('').length).toBe(stalled.text(id).length);
    }
    await Promise.all(ids.map((id) => api.post(`/api/terminals/${id}/input`, { data: '\n' })));
    await Promise.all([reading.end(), stalled.end()]);
    await eventually('nothing waits', async () => {
      const { body } = await api.raw({ path: '/metrics' });
      return /^auto_terminal_waits 0$/m.test(body);
    });
  });
});
