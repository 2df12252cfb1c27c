import { afterEach, expect, test } from 'vitest';
import type { CreatedToken } from '#dist/contract/access.js';
import { guard, withToken } from '../support/guarded.js';
import { type Service, startService } from '../support/service.js';

const TOKENS = 50;

let service: Service;
afterEach(() => service.stop());

test('tokens, their ends and the terminals that were created with them outlive kill -9', async () => {
  service = await startService();
  const { own, make, send } = await guard(service);
  const made = await Promise.all(Array.from({ length: TOKENS }, (_, n) => make(['read'], { name: `t${n}` })));
  const deleted = made.slice(0, TOKENS / 2);
  await Promise.all(deleted.map(({ id }) => send(own, 'DELETE', `/api/tokens/${id}`)));
  const maker = await make(['read', 'control'], { own: true, maxTerminals: 2 });
  const granting = async (token: string) => {
    const asked = { command: ['cat'], grant: { verbs: ['control'] } };
    return (await send(token, 'POST', '/api/terminals', asked)).body.id as string;
  };
  const mine = await granting(maker.token);
  const foreign = await granting(own);
  const exiting = await granting(own);
  await service.kill('SIGKILL');

  service = await startService({ home: service.home });
  const again = withToken(service.url, own);
  const status = async ({ token }: CreatedToken) => (await again.send(token, 'GET', '/api/terminals')).status;
  expect(new Set(await Promise.all(deleted.map(status)))).toEqual(new Set([401]));
  expect(new Set(await Promise.all(made.slice(TOKENS / 2).map(status)))).toEqual(new Set([200]));
  const { body } = await again.send(maker.token, 'GET', '/api/terminals');
  expect(body.terminals.map(({ id }: { id: string }) => id)).toEqual([mine]);
  // The terminal from before the kill counts towards the limit.
  const statuses: number[] = [];
  for (let n = 0; n < 2; n++)
    statuses.push((await again.send(maker.token, 'POST', '/api/terminals', { command: ['cat'] })).status);
  expect(statuses).toEqual([200, 429]);
  // Grants of terminals that live on are kept, others are not.
  const grants = async () => {
    const { body: list } = await again.send(own, 'GET', '/api/tokens');
    return list.tokens.flatMap(({ terminalId }: { terminalId: string | null }) => terminalId ?? []);
  };
  expect((await grants()).sort()).toEqual([mine, foreign, exiting].sort());
  await again.send(own, 'DELETE', `/api/terminals/${exiting}`);
  expect((await grants()).sort()).toEqual([mine, foreign].sort());
});

test('a grant of a terminal that ends while no service runs is gone with the next one', async () => {
  service = await startService();
  const { own, send } = await guard(service);
  const command = ['sh', '-c', 'read line'];
  const asked = { command, grant: { verbs: ['read'] } };
  const { body } = await send(own, 'POST', '/api/terminals', asked);
  await service.kill('SIGKILL');
  process.kill(body.pid, 'SIGKILL');
  service = await startService({ home: service.home });
  const again = withToken(service.url, own);
  expect((await again.send(own, 'GET', `/api/terminals/${body.id}`)).body).toMatchObject({
    status: 'exited',
  });
  expect((await again.send(own, 'GET', '/api/tokens')).body.tokens).toEqual([]);
});
