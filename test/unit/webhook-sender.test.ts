import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { PostResult } from '../../src/actors/webhooks/post.js';
import { MAX_WEBHOOK_ATTEMPTS, MAX_WEBHOOK_RETRIES } from '../../src/contract/limits.js';
import { tries } from '../support/tries.js';
import { answered, DELAYS, exited, outcomes, SenderRig, SILENT, settled } from '../support/webhook-rig.js';

const RUNS = tries(200);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** Lets time pass, and runs what is due. */
async function pass(ms: number): Promise<void> {
  await settled();
  await vi.advanceTimersByTimeAsync(ms);
  await settled();
}

describe('a webhook', () => {
  it('gets the events of its types from now on, in order', async () => {
    const rig = new SenderRig();
    const ids = [exited(rig), exited(rig)];
    rig.log.append('terminal.created');
    ids.push(exited(rig));
    await settled();
    expect(rig.ids()).toEqual(ids);
    expect(rig.got.map(({ body }) => JSON.parse(body).data.n)).toEqual([1, 2, 4]);
    expect(rig.sender.figures).toMatchObject({ behind: 0, retrying: 0 });
  });

  it('is tried again after each pause, under the same id, until the delivery is dead', async () => {
    const rig = new SenderRig();
    rig.answer = () => answered(500);
    const id = exited(rig);
    await pass(40_000_000);
    expect(rig.got.map((got) => got.id)).toEqual(Array(7).fill(id));
    const { got } = rig;
    expect(got.slice(1).map(({ at }, index) => at - got[index]!.at)).toEqual(DELAYS);
    expect(outcomes(rig)).toEqual([...[1, 2, 3, 4, 5, 6].map((n) => ['retrying', n]), ['dead', 7]]);
    expect(rig.sender.attempts()[0]).toMatchObject({ outcome: 'dead', retryAt: null, status: 500 });
    expect(rig.sender.figures.retrying).toBe(0);
  });

  it('goes on with later events while an earlier one waits', async () => {
    const rig = new SenderRig();
    rig.answer = ({ body }) => answered(body.includes('"n":1}') && rig.now === 0 ? 503 : 200);
    const ids = [exited(rig), exited(rig), exited(rig)];
    await settled();
    expect(rig.ids()).toEqual(ids);
    expect(rig.sender.figures.retrying).toBe(1);
    await pass(5_000);
    expect(rig.got.map(({ id }) => id)).toEqual([...ids, ids[0]]);
    expect(rig.sender.figures.retrying).toBe(0);
  });

  it.each([301, 302, 307, 308])('is not redirected by %s: that counts as failed', async (status) => {
    const rig = new SenderRig();
    rig.answer = () => answered(status);
    exited(rig);
    await settled();
    expect(rig.attempts).toMatchObject([
      { outcome: 'retrying', status, error: 'redirects are not followed' },
    ]);
  });

  it('ends with 410, and drops all that waits', async () => {
    const rig = new SenderRig();
    rig.answer = ({ body }) => (body.includes('"n":3}') ? answered(410) : SILENT);
    for (let each = 0; each < 5; each++) exited(rig);
    await pass(40_000_000);
    expect(outcomes(rig)).toEqual([
      ['retrying', 1],
      ['retrying', 1],
      ['gone', 1],
    ]);
    expect(rig.sender.figures).toMatchObject({ behind: 0, retrying: 0 });
    // When the webhook is enabled again, it gets the events from then on.
    rig.sender.skip();
    rig.webhook = { ...rig.webhook, enabled: true };
    rig.answer = () => answered(204);
    const id = exited(rig);
    await settled();
    expect(rig.got.at(-1)).toMatchObject({ id });
    expect(rig.sender.figures.behind).toBe(0);
  });

  it('that is disabled for a moment during an attempt does not try that event again', async () => {
    const rig = new SenderRig();
    const answers: ((result: PostResult) => void)[] = [];
    rig.answer = () => new Promise((resolve) => void answers.push(resolve));
    exited(rig);
    await settled();
    rig.sender.skip();
    rig.sender.skip();
    answers[0]!(answered(500));
    await pass(40_000_000);
    expect([rig.got.length, ...outcomes(rig)]).toEqual([1, ['dead', 1]]);
  });

  it('reads no further while too many deliveries wait, and loses none of them', async () => {
    const rig = new SenderRig();
    rig.answer = () => SILENT;
    const ids = Array.from({ length: MAX_WEBHOOK_RETRIES + 10 }, () => exited(rig));
    await settled();
    expect(rig.sender.figures).toMatchObject({ behind: 10, retrying: MAX_WEBHOOK_RETRIES });
    rig.answer = () => answered(200);
    await pass(5_000);
    expect(rig.sender.figures).toMatchObject({ behind: 0, retrying: 0 });
    expect(new Set(rig.ids())).toEqual(new Set(ids));
    expect(rig.sender.attempts()).toHaveLength(MAX_WEBHOOK_ATTEMPTS);
  });

  it('is told once where events are missing: behind the kept ones, and in another epoch', async () => {
    const rig = new SenderRig();
    rig.log.kept = 5;
    let release = () => {};
    rig.answer = () =>
      new Promise((resolve) => {
        release = () => resolve(answered(200));
      });
    exited(rig);
    await settled();
    for (let each = 0; each < 20; each++) exited(rig);
    rig.answer = () => answered(200);
    release();
    await settled();
    const typesOf = () => rig.got.map(({ body }) => JSON.parse(body).type);
    expect(typesOf()).toEqual(['terminal.exited', 'resync']);
    expect(JSON.parse(rig.got[1]!.body).data).toEqual({ reason: 'overtaken' });
    rig.log.breakEpoch('epoch111');
    const id = exited(rig);
    await settled();
    expect(typesOf()).toEqual(['terminal.exited', 'resync', 'resync', 'terminal.exited']);
    expect(rig.got.at(-1)).toMatchObject({ id });
  });

  it('that was tested has the test in its log, and nothing to repeat', async () => {
    const rig = new SenderRig();
    rig.answer = () => answered(500);
    const attempt = await rig.sender.test();
    expect(attempt).toMatchObject({
      outcome: 'test-failed',
      status: 500,
      retryAt: null,
      type: 'webhook.test',
    });
    expect(rig.sender.attempts()).toEqual([attempt]);
    expect(rig.sender.figures.retrying).toBe(0);
    rig.answer = () => answered(200);
    expect(await rig.sender.test()).toMatchObject({ outcome: 'delivered', error: null });
  });

  it('keeps what could not be written, and writes it with what follows', async () => {
    const rig = new SenderRig();
    rig.shelf.isFull = true;
    rig.answer = () => answered(500);
    const id = exited(rig);
    await settled();
    expect(rig.faults).not.toEqual([]);
    rig.shelf.isFull = false;
    exited(rig);
    await settled();
    rig.crash();
    rig.answer = () => answered(200);
    await pass(5_000);
    expect(rig.got.filter((got) => got.id === id)).toHaveLength(2);
  });
});

describe('whatever the receiver answers and whenever the service is killed', () => {
  const kill = fc.constantFrom(-1, -2);
  const answer = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(200, 200, 200, 204, 302, 404, 500, 0) },
    kill,
  );
  const answers = fc.array(answer, { maxLength: 40 });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.constant('event' as const) },
    { weight: 1, arbitrary: fc.constant('other' as const) },
    { weight: 2, arbitrary: fc.constantFrom(1_000, 5_000, 60_000, 2_000_000) },
    { weight: 1, arbitrary: fc.constant('crash' as const) },
  );

  it('each event is delivered or dead, in order at first, under one id', async () => {
    let killedInAttempt = 0;
    await fc.assert(
      fc.asyncProperty(
        // The first attempt of each run is interrupted by a kill, later ones at random.
        fc.tuple(kill, answers).map(([first, others]) => [first, ...others]),
        fc.array(step, { maxLength: 30 }).map((others) => ['event' as const, ...others]),
        async (script, steps) => {
          const rig = new SenderRig();
          const delivered = new Set<string>();
          /** Messages that a kill interrupted: only these may be delivered twice, and tried more often. */
          const interrupted = new Set<string>();
          const failures = new Map<string, number>();
          const left = [...script];
          rig.answer = ({ id }) => {
            const answer = left.shift() ?? 200;
            if (!interrupted.has(id)) expect(delivered).not.toContain(id);
            // The receiver takes the message (-1) or fails (-2), and the service dies before it records that.
            if (answer < 0) {
              killedInAttempt++;
              interrupted.add(id);
              queueMicrotask(() => rig.crash());
            }
            const isTaken = answer === 200 || answer === 204 || answer === -1;
            if (isTaken) delivered.add(id);
            else failures.set(id, (failures.get(id) ?? 0) + 1);
            return answer <= 0 ? SILENT : answered(answer);
          };
          const ids: string[] = [];
          for (const each of steps) {
            if (each === 'event') ids.push(exited(rig));
            else if (each === 'other') rig.log.append('terminal.created');
            else if (each === 'crash') rig.crash();
            else await pass(each);
            await settled();
          }
          await pass(80_000_000);
          expect(rig.faults).toEqual([]);
          expect(rig.ids()).toEqual(ids);
          for (const id of ids) {
            const bodies = new Set(rig.got.filter((got) => got.id === id).map(({ body }) => body));
            expect(bodies.size).toBe(1);
            const isDead = (failures.get(id) ?? 0) >= DELAYS.length + 1;
            expect(delivered.has(id) || isDead).toBe(true);
          }
          await rig.sender.stop();
        },
      ),
      { numRuns: RUNS },
    );
    expect(killedInAttempt).toBeGreaterThanOrEqual(RUNS);
  });
});
