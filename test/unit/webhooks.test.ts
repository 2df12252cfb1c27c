import { describe, expect, it } from 'vitest';
import type { KeptWebhook } from '../../src/actors/webhooks/kept-webhook.js';
import type { PostResult } from '../../src/actors/webhooks/post.js';
import { Webhooks } from '../../src/actors/webhooks/webhooks.js';
import { DomainError } from '../../src/contract/errors.js';
import type { Collection } from '../../src/store/store.js';
import { answered, FakeLog, InstantShelf } from '../support/webhook-rig.js';

const settled = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Webhooks on the disk, whose changes are stored when the test says so. As in the store, memory has a change at once, and
 * returns to the disk if the change is refused.
 */
class SlowCollection implements Collection<KeptWebhook> {
  readonly #disk = new Map<string, KeptWebhook>();
  readonly #memory = new Map<string, KeptWebhook>();
  readonly #writing: ((isRefused: boolean) => void)[] = [];

  all = () => this.#memory;
  get = (id: string) => this.#memory.get(id);
  put = (id: string, webhook: KeptWebhook) => this.#write(id, webhook);
  remove = (id: string) => this.#write(id, undefined);

  /** Ends the writes that were begun. */
  async end(how: 'stored' | 'refused'): Promise<void> {
    for (const end of this.#writing.splice(0)) end(how === 'refused');
    await settled();
  }

  async #write(id: string, webhook: KeptWebhook | undefined): Promise<void> {
    set(this.#memory, id, webhook);
    const isRefused = await new Promise<boolean>((resolve) => void this.#writing.push(resolve));
    if (!isRefused) set(this.#disk, id, webhook);
    else if (this.#memory.get(id) === webhook) set(this.#memory, id, this.#disk.get(id));
    if (isRefused) throw new DomainError('storage-full');
  }
}

function set<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
}

/** One webhook, whose pauses do not end within the test, and a receiver. */
class WebhooksRig {
  readonly collection = new SlowCollection();
  readonly got: string[] = [];
  readonly faults: unknown[] = [];
  answer: () => PostResult | Promise<PostResult> = () => answered(204);
  readonly #log = new FakeLog();
  #onNews = () => {};
  readonly webhooks = new Webhooks({
    collection: this.collection,
    shelf: new InstantShelf(),
    log: Object.assign(this.#log, {
      onNews: (tell: () => void) => {
        this.#onNews = tell;
        return () => {};
      },
    }),
    post: async ({ headers }, { signal }) => {
      this.got.push(headers['webhook-id'] ?? '');
      const result = await this.answer();
      return signal.aborted ? { status: null, error: 'stopped', ms: 1 } : result;
    },
    times: { attemptMs: 5_000, retryMs: [60_000, 60_000] },
    userAgent: 'test',
    now: () => 0,
    logger: { error: (error: unknown) => void this.faults.push(error) },
  });

  static async open(): Promise<WebhooksRig & { id: string }> {
    const rig = new WebhooksRig();
    rig.webhooks.start(() => {});
    const created = rig.webhooks.create({ url: 'http://127.0.0.1:1/', types: ['terminal.exited'] });
    await rig.collection.end('stored');
    return Object.assign(rig, { id: (await created).id });
  }

  /** Logs an event, and lets the webhook send it. Returns the id of its message. */
  async exited(): Promise<string> {
    const n = this.#log.append('terminal.exited');
    this.#onNews();
    await settled();
    return `evt_${this.#log.epoch}-${n}`;
  }
}

describe('a change of a webhook that cannot be stored', () => {
  it('to be disabled drops nothing, and what came meanwhile is sent', async () => {
    const rig = await WebhooksRig.open();
    rig.answer = () => answered(500);
    const first = await rig.exited();
    const change = rig.webhooks.change(rig.id, { enabled: false });
    const refused = expect(change).rejects.toMatchObject({ code: 'storage-full' });
    rig.answer = () => answered(204);
    const second = await rig.exited();
    expect(rig.got).toEqual([first]);
    await rig.collection.end('refused');
    await refused;
    expect(rig.got).toEqual([first, second]);
    expect(rig.webhooks.get(rig.id)).toMatchObject({ enabled: true, retrying: 1, behind: 0 });
  });

  it('to be disabled leaves an attempt in progress to be made again', async () => {
    const rig = await WebhooksRig.open();
    let answer: (result: PostResult) => void = () => {};
    rig.answer = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    const id = await rig.exited();
    const change = rig.webhooks.change(rig.id, { enabled: false });
    const refused = expect(change).rejects.toMatchObject({ code: 'storage-full' });
    answer(answered(410));
    await settled();
    rig.answer = () => answered(204);
    await rig.collection.end('refused');
    await refused;
    expect(rig.got).toEqual([id, id]);
    expect(rig.webhooks.get(rig.id)).toMatchObject({ enabled: true, isGone: false });
  });

  it('since its receiver is gone drops nothing: the next answer ends it', async () => {
    const rig = await WebhooksRig.open();
    rig.answer = () => answered(500);
    await rig.exited();
    rig.answer = () => answered(410);
    await rig.exited();
    await rig.collection.end('refused');
    expect(rig.faults).toHaveLength(1);
    expect(rig.webhooks.get(rig.id)).toMatchObject({ enabled: true, isGone: false, retrying: 1 });
    await rig.exited();
    await rig.collection.end('stored');
    expect(rig.webhooks.get(rig.id)).toMatchObject({ enabled: false, isGone: true, retrying: 0 });
    expect(rig.webhooks.attempts(rig.id).map(({ outcome }) => outcome)).toEqual(['gone', 'gone', 'retrying']);
  });

  it('to be removed leaves it at work', async () => {
    const rig = await WebhooksRig.open();
    rig.answer = () => answered(500);
    await rig.exited();
    const removal = expect(rig.webhooks.remove(rig.id)).rejects.toMatchObject({ code: 'storage-full' });
    expect(rig.webhooks.list()).toEqual([]);
    await rig.collection.end('refused');
    await removal;
    expect(rig.webhooks.list()).toMatchObject([{ id: rig.id, retrying: 1 }]);
    rig.answer = () => answered(204);
    const id = await rig.exited();
    expect(rig.got.at(-1)).toBe(id);
  });
});

describe('a webhook', () => {
  it('that is disabled drops what waits once that is stored', async () => {
    const rig = await WebhooksRig.open();
    rig.answer = () => answered(500);
    await rig.exited();
    const change = rig.webhooks.change(rig.id, { enabled: false });
    expect(rig.webhooks.get(rig.id)).toMatchObject({ enabled: false, retrying: 1 });
    await rig.collection.end('stored');
    expect(await change).toMatchObject({ enabled: false, retrying: 0 });
  });

  it('that is enabled while its disabling is being stored gets all events from then on', async () => {
    const rig = await WebhooksRig.open();
    rig.answer = () => answered(500);
    const first = await rig.exited();
    const changes = [rig.webhooks.change(rig.id, { enabled: false })];
    changes.push(rig.webhooks.change(rig.id, { enabled: true }));
    const second = await rig.exited();
    await rig.collection.end('stored');
    await Promise.all(changes);
    expect(rig.got).toEqual([first, second]);
    // The second event waits for another attempt; the first was dropped.
    expect(rig.webhooks.get(rig.id)).toMatchObject({ enabled: true, retrying: 1 });
  });

  it('is not in the list before it is stored, and does not break the list', async () => {
    const rig = await WebhooksRig.open();
    const created = rig.webhooks.create({ url: 'http://127.0.0.1:2/', types: ['terminal.exited'] });
    expect(rig.webhooks.list().map(({ id }) => id)).toEqual([rig.id]);
    await rig.collection.end('stored');
    expect(rig.webhooks.list().map(({ id }) => id)).toEqual([rig.id, (await created).id]);
  });
});
