import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Terminal } from '#dist/contract/terminal.js';
import type { CreatedWebhook, Webhook, WebhookDeliveries } from '#dist/contract/webhook.js';
import { createApi } from '../support/http.js';
import { isSigned, Receiver } from '../support/receiver.js';
import { type Service, startService } from '../support/service.js';

let service: Service;
let receiver: Receiver;
beforeEach(async () => {
  service = await startService();
  receiver = await Receiver.open();
});
afterEach(async () => {
  await service.stop();
  await receiver.close();
});

async function add(): Promise<CreatedWebhook> {
  const body = { url: receiver.url, types: ['terminal.created', 'terminal.exited'] };
  return (await createApi(service.url).post<CreatedWebhook>('/api/webhooks', body)).body;
}
const create = async (command: string[]) =>
  (await createApi(service.url).post<Terminal>('/api/terminals', { command })).body.id;

describe('a webhook whose service is killed', () => {
  it('between a delivery and its record gets it again, under the same id', async () => {
    const { secret, id } = await add();
    let died: Promise<unknown> = Promise.resolve();
    // The service is killed while it waits for the answer, which never comes.
    receiver.reply = () => {
      died = service.kill('SIGKILL');
      return 'hang';
    };
    const terminal = await create(['cat']).catch(() => undefined);
    await receiver.until(() => receiver.got.length === 1);
    await died;
    receiver.reply = () => 200;
    service = await startService({ home: service.home });
    await receiver.until(() => receiver.got.length === 2);
    const [first, again] = receiver.got;
    expect([again!.id, again!.text]).toEqual([first!.id, first!.text]);
    expect(terminal === undefined || again!.body.terminalId === terminal).toBe(true);
    expect(isSigned(again!, secret)).toBe(true);
    // The delivery is recorded now, so it does not come a third time: the next event comes next.
    const next = await create(['true']);
    await receiver.until(() => receiver.got.some(({ body }) => body.terminalId === next));
    const later = receiver.got.slice(2).map((each) => each.id);
    expect(later).not.toContain(first!.id);
    const log = await createApi(service.url).get<WebhookDeliveries>(`/api/webhooks/${id}/deliveries`);
    expect(log.body.attempts.at(-1)).toMatchObject({ messageId: first!.id, outcome: 'delivered' });
  });

  it('gets what happened meanwhile, and what waited for another attempt still does', async () => {
    receiver.reply = ({ body }) => (body.type === 'terminal.created' ? 500 : 200);
    const { id } = await add();
    const terminal = await create(['sh', '-c', 'read line; exit 3']);
    await receiver.until(() => receiver.got.length === 1);
    const before = createApi(service.url);
    await expect.poll(async () => (await before.get<Webhook>(`/api/webhooks/${id}`)).body.retrying).toBe(1);
    await before.post(`/api/terminals/${terminal}/input`, { data: '\n' });
    await service.kill('SIGKILL');
    service = await startService({ home: service.home });
    await receiver.until(() => receiver.of('terminal.exited').length === 1);
    expect(receiver.of('terminal.exited')[0]!.body).toMatchObject({
      terminalId: terminal,
      data: { exitCode: 3 },
    });
    const { body } = await createApi(service.url).get<Webhook>(`/api/webhooks/${id}`);
    expect(body).toMatchObject({ retrying: 1, enabled: true });
  });
});
