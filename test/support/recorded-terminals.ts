import type { EngineEvent } from '../../src/actors/events.js';
import { DomainError } from '../../src/contract/errors.js';
import type { WrittenText } from '../../src/workers/shard/protocol.js';
import type { RecordingPlan } from '../../src/workers/shard/stages/recording-plan.js';
import { RecordingSlot } from '../../src/workers/shard/stages/recording-slot.js';

/** Terminals that are recorded as a shard records them; the test controls the shard's answers and reports. */
export class RecordedByHand {
  readonly written = new Set<string>();
  readonly plans: RecordingPlan[] = [];
  readonly marks: string[] = [];
  readonly slots = new Map<string, RecordingSlot>();
  /** Awaited before a call reaches the shard; `after` is awaited once the shard has answered. */
  before: () => Promise<void> = async () => {};
  after: () => Promise<void> = async () => {};
  /** Whether the shard answers questions about its recordings. */
  answers = true;
  /** Whether calls fail, and reach the shard only once it wakes. */
  isHung = false;
  readonly #late: Array<() => Promise<unknown>> = [];
  #tell: (event: EngineEvent) => void = () => {};

  subscribe(listener: (event: EngineEvent) => void): void {
    this.#tell = listener;
  }

  tell(event: EngineEvent): void {
    this.#tell(event);
  }

  list(): never[] {
    return [];
  }

  get(id: string) {
    return { id, status: 'running', profile: 'bash' };
  }

  async onShard<Result>(_id: string, request: (shard: unknown) => Promise<Result>): Promise<Result> {
    if (this.isHung) {
      this.#late.push(() => request(this.#shard));
      throw new DomainError('unavailable');
    }
    await this.before();
    const result = await request(this.#shard);
    await this.after();
    return result;
  }

  async wake(): Promise<void> {
    this.isHung = false;
    for (const call of this.#late.splice(0)) await call();
  }

  get shards() {
    return Promise.resolve({
      recordings: async () => {
        if (!this.answers) throw new DomainError('unavailable');
        return this.written;
      },
    });
  }

  slot(id: string): RecordingSlot {
    const { written } = this;
    const slot =
      this.slots.get(id) ??
      new RecordingSlot({ onEnded: (end) => this.#tell({ type: 'recorded', id, ...end }), written });
    this.slots.set(id, slot);
    return slot;
  }

  readonly #shard = {
    record: async (id: string, plan: RecordingPlan) => {
      this.plans.push(plan);
      this.slot(id).start(plan, { terminalId: id, position: 0, size: { cols: 80, rows: 24 } });
    },
    stopRecording: (id: string) => this.slot(id).stop(),
    mark: async (id: string, label: string) => {
      this.marks.push(label);
      this.slot(id).mark(label);
    },
    typed: async (id: string, { texts, at }: WrittenText) => this.slot(id).typed(texts, at),
  };
}
