import { createApi } from '../../test/support/http.js';
import { startService } from '../../test/support/service.js';
import type { Row } from '../report.js';
import { percentile } from '../support/stats.js';
import { Typist } from '../support/typist.js';

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
    const api = createApi(service.url, { unchecked: true });
    for (const { name, command } of ECHOERS) {
      const { body } = await api.post<{ id: string }>('/api/terminals', { command });
      const typist = await Typist.at(service.url, body.id);
      await typist.type(WARM_UP);
      const times = await typist.type(KEYS);
      await typist.close();
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
