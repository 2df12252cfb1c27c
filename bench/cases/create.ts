import { createApi } from '../../test/support/http.js';
import { hostPidOf, residentBytes } from '../../test/support/processes.js';
import { startService } from '../../test/support/service.js';
import type { Row } from '../report.js';

const COUNT = 200;
const AT_ONCE = 16;

/** Rate at which terminals are made, and what each costs the service and its pty host. */
export async function create(): Promise<Row[]> {
  const service = await startService();
  try {
    const api = createApi(service.url, { unchecked: true });
    const one = () => api.post<{ id: string }>('/api/terminals', { command: ['cat'] });
    await one();
    const pids = [service.pid, hostPidOf(service.home)];
    const before = pids.map(residentBytes);
    const begin = performance.now();
    let left = COUNT;
    const worker = async () => {
      while (left-- > 0) {
        const { status } = await one();
        if (status !== 200) throw new Error(`create answered ${status}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const seconds = (performance.now() - begin) / 1000;
    const grown = pids.map((pid, index) => (residentBytes(pid) - before[index]!) / COUNT / 1024);
    return [
      { name: `create ${COUNT} terminals`, value: COUNT / seconds, unit: '/s' },
      { name: 'service memory for each', value: grown[0]!, unit: 'KB' },
      { name: 'pty host memory for each', value: grown[1]!, unit: 'KB' },
    ];
  } finally {
    await service.stop();
  }
}
