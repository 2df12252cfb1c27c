import { createApi } from '../../test/support/http.js';
import { type Service, startService } from '../../test/support/service.js';
import { openStream } from '../../test/support/stream.js';
import type { Row } from '../report.js';
import { percentile } from '../support/stats.js';

/** Keys until the code on the way is compiled. */
const WARM_UP = 1_000;
/** Together below 4,096, where the kernel cuts a line that is not sent. */
const KEYS = 1_500;

/** Who echoes: the terminal itself, as at a prompt of `cat`, or a program that reads key by key, as an editor. */
const ECHOERS = [
  { name: 'tty', command: ['cat'] },
  { name: 'program', command: ['sh', '-c', 'stty -icanon -echo; exec cat'] },
];

/** From a keystroke sent over WebSocket to its echo received there, on an idle service. */
export async function echo(): Promise<Row[]> {
  const service = await startService();
  try {
    const rows: Row[] = [];
    for (const { name, command } of ECHOERS) {
      const times = await type(service, command);
      for (const percent of [50, 99]) {
        rows.push({
          name: `keystroke echo by the ${name}, idle: p${percent}`,
          value: percentile(times, percent),
          unit: 'ms',
        });
      }
    }
    return rows;
  } finally {
    await service.stop();
  }
}

/** Milliseconds of each echo. */
async function type(service: Service, command: string[]): Promise<number[]> {
  const { body } = await createApi(service.url, { unchecked: true }).post<{ id: string }>('/api/terminals', {
    command,
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
  return times.slice(WARM_UP);
}
