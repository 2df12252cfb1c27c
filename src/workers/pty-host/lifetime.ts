import { MAX_TIMER_MS } from '../../contract/limits.js';

interface LifetimeOptions {
  /** Milliseconds without a service and without terminals before `onIdle`. */
  idleMs: number;
  /** Milliseconds without a service, but with terminals, before `onOrphaned`. */
  orphanMs: number;
  onIdle(): void;
  onOrphaned(): void;
}

/** Decides when the host has outlived its use. */
export class Lifetime {
  readonly #options: LifetimeOptions;
  #orphanMs: number;
  #timer: NodeJS.Timeout | null = null;
  #waitingFor: 'nothing' | 'idle' | 'orphaned' = 'nothing';

  constructor(options: LifetimeOptions) {
    this.#options = options;
    this.#orphanMs = options.orphanMs;
    this.update({ service: false, terminals: 0 });
  }

  update(state: { service: boolean; terminals: number; orphanMs?: number | undefined }): void {
    this.#orphanMs = state.orphanMs ?? this.#orphanMs;
    const next = state.service ? 'nothing' : state.terminals > 0 ? 'orphaned' : 'idle';
    if (next === this.#waitingFor) return;
    this.#waitingFor = next;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (next === 'idle') this.#wait(this.#options.idleMs, this.#options.onIdle);
    if (next === 'orphaned') this.#wait(this.#orphanMs, this.#options.onOrphaned);
  }

  /** Milliseconds that terminals outlive their service at present. */
  get orphanMs(): number {
    return this.#orphanMs;
  }

  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #wait(ms: number, then: () => void): void {
    this.#timer = setTimeout(then, Math.min(ms, MAX_TIMER_MS));
  }
}
