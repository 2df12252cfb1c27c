import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { CreatedWebhook, Webhook, WebhookAttempt, WebhookDeliveries } from '#dist/contract/webhook.js';
import { type AppInProcess, startAppInProcess } from '../support/app.js';
import { failed } from '../support/failed.js';
import { type Api, createApi, type Failure } from '../support/http.js';
import { eventually } from '../support/processes.js';
import { isSigned, Receiver } from '../support/receiver.js';

/** Six retry pauses, as in the service but a thousandth as long, and time for a busy machine to answer. */
const TIMES = { attemptMs: 2_000, retryMs: [5, 30, 30, 30, 30, 30] };

let started: AppInProcess;
let api: Api;
let receiver: Receiver;
beforeAll(async () => {
  started = await startAppInProcess({}, { webhookTimes: TIMES });
  api = createApi(started.app.url);
});
afterAll(() => started.stop());
beforeEach(async () => {
  receiver = await Receiver.open();
});
afterEach(async () => {
  const { body } = await api.get<{ webhooks: Webhook[] }>('/api/webhooks');
  for (const { id } of body.webhooks) await api.delete(`/api/webhooks/${id}`);
  await receiver.close();
});

const add = async (body: object = {}): Promise<CreatedWebhook> => {
  const answer = await api.post<CreatedWebhook>('/api/webhooks', {
    url: `${receiver.url}/hook`,
    types: ['terminal.exited'],
    ...body,
  });
  expect(answer.status).toBe(201);
  return answer.body;
};
const run = async (body: object = {}) =>
  (await api.post<Terminal>('/api/terminals', { command: ['sh', '-c', 'exit 7'], ...body })).body.id;
const attempts = async (id: string) =>
  (await api.get<WebhookDeliveries>(`/api/webhooks/${id}/deliveries`)).body.attempts;
const outcomes = (all: WebhookAttempt[]) => all.map(({ outcome }) => outcome).reverse();
const untilOutcomes = (id: string, wanted: WebhookAttempt['outcome'][]) =>
  eventually(`the outcomes are ${wanted}`, async () => {
    return JSON.stringify(outcomes(await attempts(id))) === JSON.stringify(wanted);
  });

describe('a webhook', () => {
  it('gets a signed request for each event of its types, without output', async () => {
    const { id, secret } = await add({ types: ['terminal.*'], name: 'ci' });
    const terminal = await run();
    await receiver.until(() => receiver.of('terminal.exited').length === 1);
    const [exited] = receiver.of('terminal.exited');
    expect(exited!.body).toEqual({
      type: 'terminal.exited',
      terminalId: terminal,
      data: expect.objectContaining({ exitCode: 7, signal: null }),
      timestamp: expect.stringMatching(/Z$/),
    });
    expect(exited!.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': expect.stringMatching(/^auto-terminal\//),
      'webhook-id': expect.stringMatching(/^evt_[0-9a-z]{8}-\d+$/),
    });
    expect(receiver.got.every((each) => isSigned(each, secret))).toBe(true);
    expect(receiver.got.map(({ body }) => body.type).slice(0, 2)).toEqual([
      'terminal.created',
      'terminal.exited',
    ]);
    await untilOutcomes(
      id,
      receiver.got.map(() => 'delivered' as const),
    );
  });

  it('shows its secret once', async () => {
    const { secret, ...webhook } = await add({
      name: 'ci',
      selector: 'role=a,repo=b',
      terminals: ['term_1'],
    });
    expect(secret).toMatch(/^whsec_/);
    const shown = {
      ...{ id: webhook.id, name: 'ci', url: `${receiver.url}/hook`, types: ['terminal.exited'] },
      ...{ terminals: ['term_1'], selector: 'role=a,repo=b', enabled: true, isGone: false },
      ...{ createdAt: expect.any(Number), behind: expect.any(Number), retrying: 0, lastAttempt: null },
    };
    expect(webhook).toEqual(shown);
    expect((await api.get(`/api/webhooks/${webhook.id}`)).body).toEqual(shown);
    expect((await api.get('/api/webhooks')).body).toEqual({ webhooks: [shown] });
    const patched = await api.patch(`/api/webhooks/${webhook.id}`, {
      name: null,
      terminals: null,
      selector: null,
    });
    expect(patched.body).toEqual({ ...shown, name: null, terminals: null, selector: null });
  });

  it('gets only events of the terminals and labels that it names', async () => {
    await add({ selector: 'role=wanted' });
    await run({ labels: { role: 'other' } });
    const wanted = await run({ labels: { role: 'wanted' } });
    await receiver.until(() => receiver.of('terminal.exited').length === 1);
    expect(receiver.got.map(({ body }) => body.terminalId)).toEqual([wanted]);
  });

  it('that fails is tried again after each pause, under one id, and then given up', async () => {
    receiver.reply = () => 500;
    const { id } = await add();
    await run();
    await untilOutcomes(id, [...Array<'retrying'>(6).fill('retrying'), 'dead']);
    expect(new Set(receiver.got.map((each) => each.id)).size).toBe(1);
    expect(receiver.got).toHaveLength(7);
    const [last] = await attempts(id);
    expect(last).toMatchObject({
      attempt: 7,
      status: 500,
      error: 'the receiver answered 500',
      retryAt: null,
    });
    expect((await api.get<Webhook>(`/api/webhooks/${id}`)).body).toMatchObject({
      retrying: 0,
      lastAttempt: last,
    });
  });

  it('that redirects is not followed', async () => {
    receiver.reply = () => 307;
    const { id } = await add();
    await run();
    await untilOutcomes(id, [...Array<'retrying'>(6).fill('retrying'), 'dead']);
    expect((await attempts(id))[0]).toMatchObject({ status: 307, error: 'redirects are not followed' });
  });

  it('that answers 410 has ended, until it is enabled again', async () => {
    receiver.reply = () => 410;
    const { id } = await add();
    await run();
    await untilOutcomes(id, ['gone']);
    expect((await api.get(`/api/webhooks/${id}`)).body).toMatchObject({ enabled: false, isGone: true });
    const witness = await Receiver.open();
    await add({ url: witness.url });
    await run();
    await witness.until(() => witness.got.length === 1);
    await witness.close();
    receiver.reply = () => 200;
    const enabled = await api.patch(`/api/webhooks/${id}`, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, isGone: false });
    const terminal = await run();
    await receiver.until(() => receiver.got.length === 2);
    expect(receiver.got[1]!.body.terminalId).toBe(terminal);
  });

  it('that hangs delays no other webhook and no request, and is given up in time', async () => {
    const slow = await Receiver.open();
    slow.reply = () => 'hang';
    const { id } = await add({ url: slow.url });
    await add();
    const terminals = [await run(), await run(), await run()];
    await receiver.until(() => receiver.got.length === 3);
    // The first delivery still hangs: the log has nothing of it, and the other two wait behind it.
    expect(receiver.got.map(({ body }) => body.terminalId).sort()).toEqual([...terminals].sort());
    await slow.until(() => slow.got.length > 1);
    const last = (await attempts(id)).at(-1);
    expect(last).toMatchObject({ outcome: 'retrying', status: null, error: 'no answer within 2000 ms' });
    await api.delete(`/api/webhooks/${id}`);
    await slow.close();
  });

  it('that nobody serves is tried again, with the reason', async () => {
    const gone = await Receiver.open();
    const { url } = gone;
    await gone.close();
    const { id } = await add({ url });
    await run();
    await untilOutcomes(id, [...Array<'retrying'>(6).fill('retrying'), 'dead']);
    expect((await attempts(id))[0]!.error).toMatch(/ECONNREFUSED/);
  });

  it('is disabled and deleted with what waits', async () => {
    receiver.reply = () => 500;
    const { id } = await add();
    await run();
    await receiver.until(() => receiver.got.length > 0);
    const disabled = await api.patch(`/api/webhooks/${id}`, { enabled: false });
    expect(disabled.body).toMatchObject({ enabled: false, isGone: false, retrying: 0, behind: 0 });
    expect((await api.delete(`/api/webhooks/${id}`)).status).toBe(204);
    for (const path of [`/api/webhooks/${id}`, `/api/webhooks/${id}/deliveries`]) {
      const { status, body } = await api.get<Failure>(path);
      expect([status, body]).toEqual([404, failed('Webhook not found')]);
    }
    for (const answer of [
      await api.delete<Failure>(`/api/webhooks/${id}`),
      await api.patch<Failure>(`/api/webhooks/${id}`, {}),
      await api.post<Failure>(`/api/webhooks/${id}/test`),
    ])
      expect([answer.status, answer.body]).toEqual([404, failed('Webhook not found')]);
  });

  it('is tested with a message of its own', async () => {
    const { id, secret } = await add();
    const { body } = await api.post<WebhookAttempt>(`/api/webhooks/${id}/test`);
    expect(body).toMatchObject({ type: 'webhook.test', outcome: 'delivered', status: 200, error: null });
    expect(receiver.got[0]!.body).toMatchObject({ type: 'webhook.test', data: { webhookId: id } });
    expect(isSigned(receiver.got[0]!, secret)).toBe(true);
    receiver.reply = () => 410;
    const again = await api.post<WebhookAttempt>(`/api/webhooks/${id}/test`);
    expect(again.body).toMatchObject({ outcome: 'test-failed', status: 410 });
    expect((await api.get(`/api/webhooks/${id}`)).body).toMatchObject({ enabled: true });
  });

  it.each<[string, object, string]>([
    ['no URL', { url: undefined }, 'url'],
    ['another scheme', { url: 'file:///etc/passwd' }, 'url: must be an http or https URL'],
    ['a password', { url: 'http://a:b@127.0.0.1/' }, 'url: must not contain a user'],
    ['a link-local address', { url: 'http://169.254.169.254/latest' }, 'url: names a link-local address'],
    ['one in disguise', { url: 'http://0xa9fea9fe/' }, 'url: names a link-local address'],
    ['no type', { types: [] }, 'types'],
    ['an unknown type', { types: ['terminal.exploded'] }, 'types'],
    ['a type that is not kept', { types: ['terminal.bell'] }, 'types'],
    ['no terminal', { terminals: [] }, 'terminals'],
    ['a bad selector', { selector: 'x' }, 'selector'],
  ])('is refused with %s', async (_what, wrong, message) => {
    const body = { url: receiver.url, types: ['terminal.exited'], ...wrong };
    const { status, body: answer } = await api.post<Failure>('/api/webhooks', body);
    expect([status, answer]).toEqual([400, failed(expect.stringContaining(message))]);
    expect((await api.get('/api/webhooks')).body).toEqual({ webhooks: [] });
  });

  it('may be one of a hundred', async () => {
    for (let each = 0; each < 100; each++) await add();
    const { status, body } = await api.post<Failure>('/api/webhooks', {
      url: receiver.url,
      types: ['terminal.exited'],
    });
    expect([status, body]).toEqual([409, failed('There are too many webhooks')]);
    await run();
    await receiver.until(() => receiver.got.length === 100);
    const metrics = (await api.get<string>('/metrics')).body;
    expect(metrics).toContain('auto_terminal_webhooks 100');
  });
});
