import fc from 'fast-check';
import type { AgentStatus } from '../../../src/contract/wait.js';

/** Number of writers that are programs. */
const WRITERS = 3;

const who = fc.nat(WRITERS - 1);
const ms = fc.constantFrom(0, 1, 500, 2_000, 5_000, 70_000);
const busy = fc.constantFrom(undefined, 'force', 'refuse', 'queue', 'queue', 'queue' as const);

/** The next step of one of three programs, a person, the host, the agent or time. */
const STEP = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      step: fc.constant('write' as const),
      who,
      whenBusy: busy,
      queueMs: ms,
      asksForAgent: fc.boolean(),
      usesLease: fc.boolean(),
      hasEnter: fc.boolean(),
      isKeyed: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant('run' as const),
      who,
      whenBusy: busy,
      queueMs: ms,
      usesLease: fc.boolean(),
      presses: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('lease' as const),
      who,
      ttlMs: fc.constantFrom(1, 1_000, 10_000, 600_000),
      waitMs: ms,
      takeover: fc.integer({ min: 0, max: 3 }).map((one) => one === 0),
    }),
  },
  { weight: 1, arbitrary: fc.record({ step: fc.constantFrom('renew' as const, 'release' as const), who }) },
  {
    weight: 2,
    arbitrary: fc.record({
      step: fc.constant('person' as const),
      keys: fc.constantFrom('x', '\r', '\x03', '\x1b[3;1R', '\x1b[I', '\x1b]11;rgb:0/0/0\x07', '\x1b[A'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('leave' as const), pick: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ step: fc.constant('retry' as const), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant('pass' as const), ms }) },
  { weight: 5, arbitrary: fc.record({ step: fc.constant('answer' as const), pick: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ step: fc.constant('answer all' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      step: fc.constant('react' as const),
      status: fc.constantFrom<AgentStatus>('idle', 'waiting', 'waiting'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ step: fc.constant('turn' as const), microtasks: fc.nat(4) }) },
);

export type Step = typeof STEP extends fc.Arbitrary<infer Each> ? Each : never;

export const STEPS = fc.array(STEP, { minLength: 5, maxLength: 60, size: 'max' });
