import { createApi } from '../../test/support/http.js';
import { startService } from '../../test/support/service.js';
import { openStream } from '../../test/support/stream.js';
import type { Row } from '../report.js';
import { percentile } from '../support/stats.js';

const WARM_UP = 100;
const KEYS = 1_000;

/** From a keystroke sent over WebSocket to its echo received there, on an idle service. */
export async function echo(): Promise<Row[]> {
  const service = await startService();
  try {
    const { body } = await createApi(service.url).post<{ id: string }>('/api/terminals', {
      // Without a line to gather, so that the terminal never holds a key back.
      command: ['sh', '-c', 'stty -icanon -echo; exec cat'],
    });
    let echoed = () => {};
    const stream = await openStream(service.url, `terminals=${body.id}`, () => echoed());
    const times: number[] = [];
    for (let key = 0; key < WARM_UP + KEYS; key++) {
      const arrived = new Promise<void>((resolve) => {
        echoed = resolve;
      });
      const begin = performance.now();
      const payload = { action: 'terminal:input', terminalId: body.id, data: 'x' };
      stream.send({ id: key, type: 'command', payload });
      await arrived;
      times.push(performance.now() - begin);
      // A person pauses between keys, so that each finds the service idle.
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await stream.close();
    const measured = times.slice(WARM_UP);
    return [50, 99].map((percent) => ({
      name: `keystroke echo, idle: p${percent}`,
      value: percentile(measured, percent),
      unit: 'ms',
    }));
  } finally {
    await service.stop();
  }
}
