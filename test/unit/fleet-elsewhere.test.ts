import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { sendElsewhere } from '../../src/gateway/elsewhere.js';

test('a refusal of the machine that a command names says when to try again', async () => {
  const answer = {
    status: 429,
    headers: { 'content-type': 'text/html', 'retry-after': '5' },
    body: Buffer.from('{"code":"over-limit"}'),
  };
  const sent: unknown[] = [];
  const reply = {
    code: (status: number) => sent.push(status) && reply,
    headers: (headers: object) => sent.push(headers) && reply,
    send: (body: object) => sent.push(body),
  };
  const request = {
    rights: { require: () => undefined },
    body: { machineId: 'm_1', command: 'true' },
    routeOptions: { url: '/api/fleet/execute' },
    headers: {},
  };
  const parts = { machines: { call: async () => answer }, fleet: { machines: () => [] } };
  const signal = new AbortController().signal;
  const both = [request, reply] as unknown as [FastifyRequest, FastifyReply];
  await sendElsewhere(parts, both, 'm_1', signal);
  expect(sent).toEqual([429, { 'retry-after': '5' }, { code: 'over-limit' }]);
});
