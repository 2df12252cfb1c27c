import { expect, it, vi } from 'vitest';
import { ShardClient } from '../../src/workers/shard/shard-client.js';

vi.mock('node:worker_threads', async (original) => ({
  ...(await original<typeof import('node:worker_threads')>()),
  Worker: class {
    constructor() {
      throw new Error('EAGAIN');
    }
  },
}));

it('that gets no thread from the system has died at once', async () => {
  const shard = new ShardClient({
    ...{ socketPath: '', instanceId: '', scrollback: 0, spillFolder: '' },
    onStream: () => undefined,
  });
  expect((await shard.died).message).toBe('EAGAIN');
  await expect(shard.link.call((api) => api.ping())).rejects.toMatchObject({ code: 'unavailable' });
  await shard.terminate();
});
