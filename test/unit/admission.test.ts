import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DomainError } from '#dist/contract/errors.js';
import { type AdmissionModel, admissionRig } from '../support/admission-model.js';
import { tries } from '../support/tries.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const names = fc.subarray(['a', 'b', 'c']);
const settings = fc.record(
  {
    maxTerminals: fc.integer({ min: 0, max: 6 }),
    perLabel: fc.array(
      fc.record({ selector: fc.constantFrom('a=1', 'b=1', 'c=1'), max: fc.integer({ min: 0, max: 3 }) }),
      { maxLength: 3 },
    ),
    minAvailableMemory: fc.constantFrom(500, 900),
    maxMemoryPressure: fc.constantFrom(5, 20),
  },
  { requiredKeys: [] },
);
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('ask' as const),
      names,
      priority: fc.integer({ min: -1, max: 1 }),
      queueMs: fc.constantFrom(undefined, 0, 400, 3_000, 60_000),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'listed' as const,
        'failed' as const,
        'unknown' as const,
        'exit' as const,
        'leave' as const,
      ),
      who: fc.nat({ max: 50 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settings' as const), settings }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('memory' as const),
      availableBytes: fc.constantFrom(null, 100, 600, 1_000),
      pressure: fc.constantFrom(null, 0, 10, 30),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('time' as const),
      ms: fc.constantFrom(1, 100, 250, 1_500, 70_000),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Carries out a step; does nothing if the step's number picks no creation. */
async function take(one: Step, { model, admission }: ReturnType<typeof admissionRig>): Promise<void> {
  const pick = (states: Parameters<AdmissionModel['in']>, who: number) => {
    const those = model.in(...states);
    return those[who % Math.max(1, those.length)];
  };
  if (one.do === 'ask') model.ask(admission, one);
  if (one.do === 'settings') {
    model.settings = one.settings;
    admission.look();
  }
  if (one.do === 'memory') {
    model.memory = { availableBytes: one.availableBytes, pressure: one.pressure };
    // Memory is looked at once a second.
    await vi.advanceTimersByTimeAsync(1_100);
  }
  if (one.do === 'time') await vi.advanceTimersByTimeAsync(one.ms);
  if (one.do === 'leave') pick(['waiting'], one.who)?.client.abort(new Error('left'));
  if (one.do === 'listed' || one.do === 'failed' || one.do === 'unknown') {
    const starting = pick(['starting'], one.who);
    if (!starting) return;
    if (one.do === 'unknown') return model.unknown(starting);
    starting.state = one.do === 'listed' ? 'running' : 'over';
    starting.place?.free();
  }
  if (one.do === 'exit') {
    const running = pick(['running'], one.who);
    if (running) running.state = 'over';
    admission.look();
  }
}

describe('any sequence of requests, starts, ends, clients that leave, settings and memory', () => {
  it('admits in order, never one too many, and leaves nobody waiting for nothing', async () => {
    await fc.assert(
      fc.asyncProperty(settings, fc.array(step, { minLength: 20, maxLength: 80 }), async (first, steps) => {
        const both = admissionRig(first);
        const { model, admission } = both;
        for (const one of steps) {
          await take(one, both);
          await vi.advanceTimersByTimeAsync(0);
          model.checkAtRest(performance.now());
          if (model.faults.length > 0) break;
        }
        expect(model.faults).toEqual([]);
        expect(admission.length).toBe(model.in('waiting').length);
        expect(
          admission
            .status()
            .queue.waiting.map(({ terminalId }) => terminalId)
            .sort(),
        ).toEqual(
          model
            .in('waiting')
            .map(({ id }) => id)
            .sort(),
        );
        // Every client has an answer once limits are gone, or at the latest when its time is over.
        if (steps.length % 2 === 0) model.settings = {};
        admission.look();
        await vi.advanceTimersByTimeAsync(steps.length % 2 === 0 ? 0 : 60_001);
        expect(model.in('waiting')).toEqual([]);
        for (const { error, client, queueMs } of model.creations) {
          if (error === undefined) continue;
          if (client.signal.aborted) expect(error).toBe(client.signal.reason);
          else expect(error).toMatchObject({ code: 'over-limit', details: { limit: expect.any(String) } });
          if (error instanceof DomainError && queueMs !== undefined)
            expect(error.details.position).toBeGreaterThan(0);
        }
        // No timer is left once starts with an unknown outcome are forgotten.
        await vi.advanceTimersByTimeAsync(60_001);
        expect(vi.getTimerCount()).toBe(0);
      }),
      { numRuns: tries(400) },
    );
  });
});
