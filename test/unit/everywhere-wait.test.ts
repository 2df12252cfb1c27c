import { expect, it } from 'vitest';
import { WaitManyBody } from '#dist/contract/wait-many.js';
import { Everywhere } from '#dist/fleet/everywhere.js';

it('a machine that answers a wait at once, with nothing, is not asked again and again', async () => {
  let calls = 0;
  const answer = {
    ...{ done: false, results: [], pending: ['term_1'] },
    summary: { total: 1, met: 0, gone: 0, pending: 1 },
  };
  const everywhere = new Everywhere({
    roster: {
      select: async () => [{ entry: { machineId: 'm', deviceName: 'far' }, ids: ['term_1'] }] as never,
    },
    call: async () => {
      calls++;
      await new Promise((resolve) => setImmediate(resolve));
      return { status: 200, headers: {}, body: JSON.stringify(answer) } as never;
    },
  });
  const body = WaitManyBody.parse({ selector: 'a=b', machines: 'all', until: ['exited'], timeoutMs: 300 });
  const here = async () => ({ ...answer, pending: [] });
  expect(await everywhere.wait(body, [], here, new AbortController().signal)).toMatchObject({
    ...{ done: false, pending: ['term_1'] },
  });
  expect(calls).toBeLessThan(10);
});
