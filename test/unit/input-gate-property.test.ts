import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import type { Hold } from '../../src/actors/input-gate/hold.js';
import { newLeaseId } from '../../src/actors/input-gate/lease-slot.js';
import type { Principal } from '../../src/contract/principal.js';
import { faultsIn, type Op, RENEWED_MS } from '../support/gate/oracle.js';
import { STEPS, type Step } from '../support/gate/steps.js';
import { ID, turn, World } from '../support/gate/world.js';
import { tries } from '../support/tries.js';

const RUNS = tries(2_500);

/** The world of the current run: its clock is the clock of everything that is tested. */
let world = new World();
vi.mock('../../src/workers/clock.js', () => ({ hrMs: () => world.now() }));

/** Longer than all leases, queues and drafts of a run. */
const FOREVER_MS = 5_000_000;

const codeOf = (error: unknown) => ({ code: String((error as { code?: unknown }).code ?? error) });

/** Carries out steps, and keeps every operation that was requested, with its outcome. */
class Story {
  readonly ops: Op[] = [];
  readonly #leases = new Map<number, string>();
  readonly #pending = new Map<number, AbortController>();
  readonly #keys = new Map<number, { data: string; lease: string | undefined }>();

  async tell(step: Step): Promise<void> {
    switch (step.step) {
      case 'write':
        return this.#write(step);
      case 'run':
        return void this.#run(step);
      case 'lease':
        return this.#lease(step);
      case 'renew':
      case 'release':
        return this.#change(step);
      case 'person':
        return this.#person(step.keys);
      case 'leave': {
        const [op, controller] = [...this.#pending][step.pick % this.#pending.size] ?? [];
        if (op !== undefined) world.note({ kind: 'left', op });
        controller?.abort(new Error('left'));
        return;
      }
      case 'retry':
        return this.#retry(step.pick);
      case 'pass':
        return world.pass(step.ms);
      case 'answer':
        world.answer(step.pick);
        return;
      case 'answer all':
        while (world.answer(0)) await turn();
        return;
      case 'react':
        return world.react(step.status);
      case 'turn':
        for (let index = 0; index < step.microtasks; index++) await Promise.resolve();
    }
  }

  /** Lets all operations end. */
  async end(): Promise<void> {
    for (let round = 0; round < 3; round++) {
      while (world.answer(0)) await turn();
      await world.pass(FOREVER_MS);
    }
    while (world.answer(0)) await turn();
  }

  #new(op: Partial<Op> & Pick<Op, 'kind' | 'who'>): Op {
    const made: Op = {
      ...{ op: this.ops.length, text: `<${this.ops.length}>`, whenBusy: 'force', asksForAgent: false },
      lease: undefined,
      ...op,
    };
    this.ops.push(made);
    world.note({ kind: 'asked', op: made.op });
    return made;
  }

  #follow(op: Op, work: Promise<unknown>): void {
    const end = (outcome: Op['outcome']) => {
      op.outcome = outcome;
      this.#pending.delete(op.op);
      world.note({ kind: 'settled', op: op.op });
    };
    work.then(
      () => end('done'),
      (error: unknown) => end(codeOf(error)),
    );
  }

  #askOf(op: Op, queueMs: number, whenBusy: Op['whenBusy'] | undefined) {
    const controller = new AbortController();
    this.#pending.set(op.op, controller);
    const who = (): Principal => ({ kind: 'agent', name: String(op.who), verified: false });
    return { who, whenBusy, queueMs, lease: op.lease, signal: controller.signal };
  }

  #write({
    who,
    whenBusy,
    queueMs,
    asksForAgent,
    usesLease,
    hasEnter,
    isKeyed,
  }: Step & { step: 'write' }): void {
    const lease = usesLease ? this.#leases.get(who) : undefined;
    const op = this.#new({ kind: 'write', who, whenBusy: whenBusy ?? 'force', asksForAgent, lease });
    const ask = {
      ...this.#askOf(op, queueMs, whenBusy),
      ...(asksForAgent && { ifAgent: ['idle'] as const }),
    };
    const data = `${op.text}${hasEnter ? '\r' : ''}`;
    const once = isKeyed ? `once-${op.op}` : undefined;
    if (once) this.#keys.set(op.op, { data, lease });
    const send = world.typist.type(ID, [{ data }], 'api', { once, ask });
    this.#follow(op, send);
  }

  async #run({ who, whenBusy, queueMs, usesLease, presses }: Step & { step: 'run' }): Promise<void> {
    const lease = usesLease ? this.#leases.get(who) : undefined;
    const op = this.#new({ kind: 'run', who, whenBusy: whenBusy ?? 'force', lease });
    const typed = async () => {
      const hold: Hold = await world.typist.enter(ID, 'api', this.#askOf(op, queueMs, whenBusy));
      world.note({ kind: 'entered', op: op.op });
      try {
        for (let press = 0; press < presses; press++)
          await world.typist.press(ID, `${op.text}${press}`, { hold });
      } finally {
        world.note({ kind: 'released', op: op.op });
        hold.release();
      }
    };
    this.#follow(op, typed());
  }

  #lease({ who, ttlMs, waitMs, takeover }: Step & { step: 'lease' }): void {
    const op = this.#new({ kind: 'lease', who, isTakeover: takeover, ttlMs });
    const { signal, who: name } = this.#askOf(op, 0, undefined);
    op.leaseId = newLeaseId();
    const asked = { leaseId: op.leaseId, ttlMs, waitMs, takeover, reason: undefined };
    const work = world.gate.lease(ID, asked, { who: name, signal }).then(({ leaseId, fence }) => {
      op.fence = fence;
      this.#leases.set(who, leaseId);
    });
    this.#follow(op, work);
  }

  #change({ step, who }: Step & { step: 'renew' | 'release' }): void {
    const lease = this.#leases.get(who);
    if (lease === undefined) return;
    try {
      if (step === 'renew') {
        world.gate.renew(ID, lease, RENEWED_MS);
        world.note({ kind: 'renewed', leaseId: lease });
      } else world.gate.release(ID, lease);
    } catch (error) {
      expect(codeOf(error)).toEqual({ code: 'lease-lost' });
    }
  }

  #person(keys: string): void {
    const op = this.#new({ kind: 'person', who: -1 });
    this.#follow(op, world.typist.type(ID, [{ data: keys }], 'user'));
  }

  /** Sends a keyed write again that already has its answer. */
  #retry(pick: number): void {
    const answered = [...this.#keys].filter(([op]) => this.ops[op]?.outcome === 'done');
    const [again] = answered.splice(pick % Math.max(1, answered.length), 1);
    if (!again) return;
    const [first, { data, lease }] = again;
    const op = this.#new({ kind: 'retry', who: -1, text: `<retry ${first}>` });
    const ask = { whenBusy: 'refuse' as const, lease };
    const repeated = world.typist.type(ID, [{ data }], 'api', { once: `once-${first}`, ask });
    this.#follow(op, repeated);
  }
}

/** Counts the cases that the stories contain, so that no case goes untested by accident. */
function count(story: Story, seen: Map<string, number>): void {
  const one = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  for (const { kind, outcome, whenBusy, lease } of story.ops) {
    if (outcome === 'done') one(`${kind} ${whenBusy}${lease === undefined ? '' : ' under a lease'}`);
    else if (outcome) one(outcome.code);
  }
  for (const fact of world.facts)
    if (fact.kind === 'lease' && fact.change.state === 'ended') one(fact.change.why);
}

it('lets no two writers get into each other, whatever they ask for and in whatever order', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      world = new World();
      const story = new Story();
      for (const step of steps) await story.tell(step);
      await story.end();
      expect(faultsIn(world.facts, story.ops)).toEqual([]);
      count(story, seen);
    }),
    { numRuns: RUNS },
  );
  const all = ['write force', 'write refuse', 'write queue', 'run queue', 'lease force', 'retry force'];
  const leased = ['write force under a lease', 'write queue under a lease', 'run force under a lease'];
  const refused = ['locked', 'lease-lost', 'agent-busy', 'agent-waiting'];
  const ended = ['expired', 'released', 'person', 'takeover'];
  expect([...all, ...leased, ...refused, ...ended].filter((what) => !seen.has(what))).toEqual([]);
});
