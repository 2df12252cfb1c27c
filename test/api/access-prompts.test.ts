import { beforeAll, expect, test } from 'vitest';
import type { Prompt } from '#dist/contract/prompt.js';
import { type Guarded, guard } from '../support/guarded.js';
import { eventually } from '../support/processes.js';
import { useService } from '../support/use-service.js';

const used = useService({ env: { SHELL: '/bin/bash' } });
let guarded: Guarded;
const own = (method: string, path: string, body?: unknown) => guarded.send(guarded.own, method, path, body);
/** A shell with a command that waits for a line. */
async function busyShell(labels: Record<string, string>): Promise<string> {
  const { id } = (await own('POST', '/api/terminals', { labels })).body;
  await own('POST', `/api/terminals/${id}/wait`, { until: 'prompt' });
  await own('POST', `/api/terminals/${id}/input`, { data: 'read answer\r' });
  await eventually('the command runs', async () => {
    return (await own('GET', `/api/terminals/${id}/commands`)).body.commands.length > 0;
  });
  return id;
}

beforeAll(async () => {
  guarded = await guard(used.service);
});

test('a prompt is not typed once its token has ended, or reaches the terminal no longer', async () => {
  const id = await busyShell({ team: 'a' });
  const moved = await busyShell({ team: 'a' });
  const one = await guarded.make(['read', 'type'], { selector: 'team=a' });
  const other = await guarded.make(['read', 'type'], { selector: 'team=a' });
  const add = async (token: string, terminalId: string): Promise<Prompt> => {
    const answer = await guarded.send(token, 'POST', `/api/terminals/${terminalId}/prompts`, {
      prompt: 'echo typed',
    });
    expect([answer.status, answer.body.by.token]).toEqual([201, { id: expect.any(String), name: 'test' }]);
    return answer.body;
  };
  const prompts = [await add(one.token, id), await add(other.token, moved)];
  await own('DELETE', `/api/tokens/${one.id}`);
  await own('PATCH', `/api/terminals/${moved}`, { labels: { team: 'b' } });
  for (const terminalId of [id, moved]) {
    await own('POST', `/api/terminals/${terminalId}/input`, { data: 'x\r' });
  }
  for (const { id: promptId, terminalId } of prompts) {
    const now = async () => (await own('GET', `/api/terminals/${terminalId}/prompts/${promptId}`)).body;
    await eventually('it ends', async () => (await now()).endedAt !== null);
    expect(await now()).toMatchObject({ state: 'cancelled', reason: 'token-ended', typedAt: null });
  }
});

test('a token that is bound sees the prompts of its terminals alone, and needs the verb type for more', async () => {
  const inside = await guarded.open({ team: 'c' });
  const outside = await guarded.open({ team: 'd' });
  const { token } = await guarded.make(['read'], { selector: 'team=c' });
  const ids = [];
  for (const id of [inside, outside]) {
    ids.push((await own('POST', `/api/terminals/${id}/prompts`, { prompt: 'x' })).body.id);
  }
  const { body } = await guarded.send(token, 'GET', '/api/prompts?state=queued');
  expect(body.prompts.map(({ id }: Prompt) => id)).toEqual([ids[0]]);
  const path = `/api/terminals/${inside}/prompts`;
  expect(await guarded.send(token, 'GET', `${path}/${ids[0]}`)).toMatchObject({ status: 200 });
  expect(await guarded.send(token, 'GET', `/api/terminals/${outside}/prompts`)).toMatchObject({
    status: 404,
    body: { code: 'terminal-not-found' },
  });
  const refused = { status: 403, body: { code: 'verb-missing' } };
  expect(await guarded.send(token, 'POST', path, { prompt: 'x' })).toMatchObject(refused);
  expect(await guarded.send(token, 'DELETE', `${path}/${ids[0]}`)).toMatchObject(refused);
});
