import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PostResult } from '../../src/actors/webhooks/post.js';
import { answered, exited, outcomes, SenderRig, settled } from '../support/webhook-rig.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a webhook', () => {
  it.each([410, 500])('that moves during an attempt is tried at its new URL after a %s', async (status) => {
    const rig = new SenderRig();
    const { url } = rig.webhook;
    const moved = 'http://127.0.0.1:2/';
    const answers: ((result: PostResult) => void)[] = [];
    rig.answer = (got) =>
      got.url === url ? new Promise((resolve) => void answers.push(resolve)) : answered(204);
    const [first, second] = [exited(rig), exited(rig)];
    await settled();
    rig.webhook = { ...rig.webhook, url: moved };
    answers[0]!(answered(status));
    await settled();
    expect(rig.webhook).toMatchObject({ enabled: true, isGone: false });
    expect(rig.got.map((got) => [got.url, got.id])).toEqual([
      [url, first],
      [moved, first],
      [moved, second],
    ]);
    expect(outcomes(rig)).toEqual([
      ['retrying', 1],
      ['delivered', 1],
      ['delivered', 1],
    ]);
  });

  it('that moves during the last attempt at an event has another one at its new URL', async () => {
    const rig = new SenderRig();
    rig.answer = ({ at, url }) => {
      if (at > 30_000_000) rig.webhook = { ...rig.webhook, url: 'http://127.0.0.1:2/' };
      return answered(url === rig.webhook.url ? 500 : 410);
    };
    exited(rig);
    await settled();
    await vi.advanceTimersByTimeAsync(40_000_000);
    await settled();
    expect(rig.webhook.isGone).toBe(false);
    expect(outcomes(rig).slice(-3)).toEqual([
      ['retrying', 6],
      ['retrying', 7],
      ['dead', 7],
    ]);
  });

  it.each(['disabled', 'disabled and enabled again'])(
    'that is %s during an attempt is not ended by its 410',
    async (how) => {
      const rig = new SenderRig();
      const answers: ((result: PostResult) => void)[] = [];
      rig.answer = () => new Promise((resolve) => void answers.push(resolve));
      exited(rig);
      await settled();
      rig.sender.skip();
      rig.webhook = { ...rig.webhook, enabled: how !== 'disabled' };
      answers[0]!(answered(410));
      await settled();
      expect(rig.webhook.isGone).toBe(false);
      expect(outcomes(rig)).toEqual([['dead', 1]]);
      rig.webhook = { ...rig.webhook, enabled: true };
      rig.answer = () => answered(204);
      const id = exited(rig);
      await settled();
      expect(rig.got.at(-1)).toMatchObject({ id });
    },
  );
});
