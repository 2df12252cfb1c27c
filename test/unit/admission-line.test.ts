import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Admission } from '#dist/actors/admission/admission.js';
import { MAX_WAITING_CREATIONS } from '#dist/contract/limits.js';
import { type AdmissionModel, admissionRig } from '../support/admission-model.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const asking = {
  ...{ terminalId: 'term_0', name: null, labels: {}, mode: 'api' as const, caller: null },
  ...{ priority: 0, queueMs: undefined },
};

describe('the line', () => {
  const ask = (
    model: AdmissionModel,
    admission: Admission,
    asked: Partial<Parameters<AdmissionModel['ask']>[1]> = {},
  ) => model.ask(admission, { names: [], priority: 0, queueMs: 60_000, ...asked });

  it('is bounded, and says so at once', async () => {
    const { model, admission } = admissionRig({ maxTerminals: 0 });
    for (let count = 0; count <= MAX_WAITING_CREATIONS; count++) ask(model, admission);
    await vi.advanceTimersByTimeAsync(0);
    const [refused, ...others] = model.in('over');
    expect(others).toEqual([]);
    expect(refused).toMatchObject({
      rank: MAX_WAITING_CREATIONS,
      error: {
        code: 'over-limit',
        details: { limit: 'queue', value: MAX_WAITING_CREATIONS, retryAfterMs: 5_000 },
      },
    });
    expect(admission.status()).toMatchObject({ queue: { length: MAX_WAITING_CREATIONS }, refused: 1 });
    admission.stop();
    await vi.advanceTimersByTimeAsync(0);
    expect(model.in('waiting')).toEqual([]);
    expect(model.creations[0]!.error).toMatchObject({ code: 'shutting-down' });
    await expect(admission.admit({ ...asking, terminalId: 'term_late' })).rejects.toMatchObject({
      code: 'shutting-down',
    });
  });

  it('is told to a listener, and a refusal names its place, its limit and its figures', async () => {
    const { model, admission } = admissionRig({ maxTerminals: 1 });
    const told: string[] = [];
    admission.onChanged((change) =>
      told.push(
        change.type === 'turned-away'
          ? `turned away: ${change.obstacle.limit}`
          : `${change.type} ${change.asking.terminalId} ${change.position} ${change.obstacle.limit}`,
      ),
    );
    const first = ask(model, admission);
    const [low, , high] = [
      ask(model, admission),
      ask(model, admission, { queueMs: 2_000 }),
      ask(model, admission, { priority: 1 }),
    ];
    const impatient = ask(model, admission, { queueMs: undefined });
    await vi.advanceTimersByTimeAsync(2_010);
    expect(impatient.error).toMatchObject({
      message:
        'No terminal was created: 1 of at most 1 terminals run or start (limits.maxTerminals), and 3 wait before it',
      details: { limit: 'maxTerminals', value: 1, max: 1, position: 4, retryAfterMs: 5_000 },
    });
    expect(model.creations[2]!.error).toMatchObject({ details: { position: 3 } });
    first.state = 'over';
    first.place!.free();
    await vi.advanceTimersByTimeAsync(0);
    expect([high.state, low.state]).toEqual(['starting', 'waiting']);
    low.client.abort();
    expect(told).toEqual([
      'queued term_1 1 maxTerminals',
      'queued term_2 2 maxTerminals',
      'queued term_3 1 maxTerminals',
      'turned away: maxTerminals',
      'refused term_2 3 maxTerminals',
      'admitted term_3 1 maxTerminals',
      'left term_1 1 maxTerminals',
    ]);
    expect([...admission.refused]).toEqual([['maxTerminals', 2]]);
  });

  it('moves on when somebody leaves whom others must not overtake', async () => {
    const { model, admission } = admissionRig({
      perLabel: [
        { selector: 'a=1', max: 0 },
        { selector: 'b=1', max: 9 },
      ],
    });
    const [first, second] = [
      ask(model, admission, { names: ['a', 'b'] }),
      ask(model, admission, { names: ['b'] }),
    ];
    await vi.advanceTimersByTimeAsync(0);
    expect([first.state, second.state]).toEqual(['waiting', 'waiting']);
    first.client.abort(new Error('left'));
    await vi.advanceTimersByTimeAsync(0);
    expect([first.error, second.state]).toEqual([new Error('left'), 'starting']);
  });

  it('paces admissions while memory is limited, also those that did not ask to wait, for ten seconds', async () => {
    const { model, admission } = admissionRig({ minAvailableMemory: 500 });
    for (let count = 0; count < 60; count++) ask(model, admission, { queueMs: undefined });
    await vi.advanceTimersByTimeAsync(1_020);
    expect(model.in('starting')).toHaveLength(5);
    await vi.advanceTimersByTimeAsync(9_500);
    const admitted = model.in('starting').length;
    expect(admitted).toBeGreaterThan(35);
    expect(model.in('over')).toHaveLength(60 - admitted);
    expect(model.in('over')[0]!.error).toMatchObject({ details: { limit: 'pace' } });
  });

  it('waits for memory, and says which limits cannot be held', async () => {
    const { model, admission } = admissionRig({ minAvailableMemory: 500, maxMemoryPressure: 10 });
    model.memory = { availableBytes: 400, pressure: null };
    const creation = ask(model, admission);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(creation.state).toBe('waiting');
    expect(admission.status()).toMatchObject({
      memory: { availableBytes: 400, minAvailable: 500, pressure: null, maxPressure: 10 },
      unknown: ['maxMemoryPressure'],
      queue: { waiting: [{ position: 1, obstacle: { limit: 'minAvailableMemory', value: 400, min: 500 } }] },
    });
    model.memory = { availableBytes: 600, pressure: null };
    await vi.advanceTimersByTimeAsync(1_100);
    expect(creation.state).toBe('starting');
  });
});
