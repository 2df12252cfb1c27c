import { afterEach, expect, it } from 'vitest';
import type { BatchCreateAnswer } from '#dist/contract/batch-create.js';
import { DomainError, type ErrorCode } from '#dist/contract/errors.js';
import type { Terminal } from '#dist/contract/terminal.js';
import { useIdempotencyKeys } from '#dist/gateway/idempotency.js';
import { registerBatchCreate } from '#dist/gateway/routes/batch-create.js';
import type { App } from '#dist/gateway/validation.js';
import { creatorFor } from '../support/creator.js';
import { gatewayWith } from '../support/gateway.js';
import { newOperations } from '../support/operations.js';

let app: App;
afterEach(() => app.close());

/**
 * Serves batches in which the creation named `second` fails with `fault`, once. Returns the names of all creations asked.
 *
 * @param isGone - whether the terminals that were created go at once
 */
function serve(fault: Error, isGone = false): string[] {
  const asked: string[] = [];
  const get = (id: string) => {
    if (isGone) throw new DomainError('terminal-not-found');
    return { id, name: 'first', status: 'running', limits: null } as unknown as Terminal;
  };
  const faults = [fault];
  let ids = 0;
  const create = async ({ name }: { name?: string | null | undefined }, _mode: unknown, id: string) => {
    asked.push(String(name));
    const failed = name === 'second' ? faults.pop() : undefined;
    if (failed) throw failed;
    return { id, name, status: 'running', limits: null } as unknown as Terminal;
  };
  app = gatewayWith((routes) => {
    const keys = useIdempotencyKeys(routes, newOperations());
    const creator = creatorFor(routes, { create: create as never }, keys);
    registerBatchCreate(routes, { newId: () => `term_${ids++}`, get }, keys, creator);
  });
  return asked;
}

async function post(): Promise<BatchCreateAnswer['results']> {
  const answer = await app.inject({
    ...{ method: 'POST', url: '/api/terminals/batch/create' },
    headers: { host: 'localhost', 'idempotency-key': 'one' },
    payload: { terminals: [{ name: 'first' }, { name: 'second' }] },
  });
  return (answer.json() as BatchCreateAnswer).results;
}

const codes = (results: BatchCreateAnswer['results']) => results.map(({ code }) => code);

it.each<ErrorCode>(['client-gone', 'shutting-down', 'unavailable', 'outcome-unknown', 'internal'])(
  'a retry creates what failed with %s, under the ids of the first attempt',
  async (code) => {
    serve(new DomainError(code));
    expect(codes(await post())).toEqual([undefined, code]);
    const retried = await post();
    expect(retried.map(({ terminal }) => terminal?.id)).toEqual(['term_0', 'term_1']);
    // This answer leaves nothing open.
    expect(await post()).toEqual(retried);
  },
);

it('a retry creates nothing again that an earlier attempt has created, also if it has gone since', async () => {
  const asked = serve(new DomainError('client-gone'), true);
  await post();
  const retried = await post();
  expect(codes(retried)).toEqual(['terminal-not-found', undefined]);
  expect(asked).toEqual(['first', 'second', 'second']);
  expect(await post()).toEqual(retried);
});

it.each<ErrorCode>(['tmux-unavailable', 'over-limit', 'pane-not-found', 'spawn-failed'])(
  'the answer is kept of a batch of which a creation failed with %s',
  async (code) => {
    const asked = serve(new DomainError(code));
    const first = await post();
    expect(codes(first)).toEqual([undefined, code]);
    expect(await post()).toEqual(first);
    expect(asked).toEqual(['first', 'second']);
  },
);
