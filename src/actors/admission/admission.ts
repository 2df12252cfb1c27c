import type { LimitsAnswer, Obstacle } from '../../contract/admission.js';
import { DomainError } from '../../contract/errors.js';
import type { Labels } from '../../contract/labels.js';
import type { LimitSettings } from '../../contract/limit-settings.js';
import {
  ADMISSION_PACE_MS,
  MAX_WAITING_CREATIONS,
  MEMORY_LIMIT_LOOK_MS,
  PACE_WAIT_MS,
} from '../../contract/limits.js';
import { decide, type Limits, limitsOn, type Memory, UNKNOWN_MEMORY, type Use, useOf } from './decide.js';
import { isPaced, isUnlimited, limitsMemory, limitsOf } from './limits-of.js';
import { overLimit } from './over-limit.js';
import { Places } from './places.js';
import { statusOf } from './status.js';
import { type AdmissionChange, type Asking, type Place, toWaiting, type Waiter } from './waiter.js';

export interface AdmissionOptions {
  /** Returns the section `limits` of the settings, another object after each change. */
  settings: () => LimitSettings;
  memory: { read(): Memory };
  /** Returns the labels of the terminals that run. */
  running: () => Iterable<Labels>;
  /** Returns whether a terminal with this id is listed, so that it counts as running or no longer counts. */
  isListed: (terminalId: string) => boolean;
}

/** Decides when a terminal may be created. Every creation passes here, and waits in line if a limit is reached. */
export class Admission {
  readonly #options: AdmissionOptions;
  /** The highest priority first; among equals in the order in which they came. */
  #line: Waiter[] = [];
  readonly #places: Places;
  #parsed: { from: LimitSettings; limits: Limits } | undefined;
  /** Kept until something may have changed: otherwise a batch of a thousand creations would count all terminals each time. */
  #use: Use | undefined;
  #nextAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #refused = new Map<Obstacle['limit'], number>();
  #isStopped = false;
  #changed: (change: AdmissionChange) => void = () => undefined;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    const { isListed } = options;
    const onFreed = (isGone: boolean) => {
      if (isGone) this.look();
      else this.#use = undefined;
    };
    this.#places = new Places({ isListed, onFreed });
  }

  /** Sets the listener that is notified when a creation that met a limit waits, is admitted, leaves or is refused. */
  onChanged(listener: (change: AdmissionChange) => void): void {
    this.#changed = listener;
  }

  /**
   * Resolves once the terminal may be created; at once if an earlier attempt to create it still has its place: nobody is
   * refused for a place that is kept for him. Rejects with over-limit, with the reason of `client` if that fires while the
   * creation waits, and with shutting-down.
   */
  async admit(asking: Asking, client?: AbortSignal): Promise<Place> {
    if (this.#isStopped) throw new DomainError('shutting-down');
    const isFree = this.#line.length === 0 && isUnlimited(this.#limits);
    if (isFree || this.#places.has(asking.terminalId)) return this.#take(asking);
    let leave = () => {};
    const settled = new Promise<Place>((admit, refuse) => {
      const waiter = this.#enter(asking, admit, refuse);
      const position = this.#line.indexOf(waiter) + 1;
      if (position === 0) return;
      leave = () => this.#leave(waiter, client?.reason);
      if (this.#line.length > MAX_WAITING_CREATIONS) this.#dropExcess(waiter);
      else if (client?.aborted) leave();
      else {
        waiter.isQueued = true;
        this.#tell('queued', waiter, position);
      }
    });
    client?.addEventListener('abort', leave, { once: true });
    return settled.finally(() => client?.removeEventListener('abort', leave));
  }

  /**
   * Admits the creations that the limits allow now. Call whenever terminals have come from elsewhere or have gone, and
   * when labels or the settings have changed.
   */
  look(): void {
    this.#use = undefined;
    this.#lookOn();
  }

  #lookOn(): void {
    if (this.#line.length === 0) return;
    let isChanged = true;
    while (isChanged) isChanged = this.#admitWhoMay();
    this.#lookAgain();
  }

  /** Rejects all waiting and all later creations with shutting-down. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    for (const { refuse } of this.#line.splice(0)) refuse(new DomainError('shutting-down'));
  }

  get length(): number {
    return this.#line.length;
  }

  /** Creations that were refused since the service started, by limit. */
  get refused(): ReadonlyMap<Obstacle['limit'], number> {
    return this.#refused;
  }

  status(): LimitsAnswer {
    const { memory, running } = this.#options;
    const refused = [...this.#refused.values()].reduce((sum, each) => sum + each, 0);
    const starting = this.#places.labels();
    return statusOf({
      ...{ limits: this.#limits, memory: memory.read(), running: [...running()], starting, refused },
      waiting: this.#line.map(toWaiting),
    });
  }

  get #limits(): Limits {
    const from = this.#options.settings();
    if (this.#parsed?.from !== from) {
      this.#parsed = { from, limits: limitsOf(from) };
      this.#use = undefined;
    }
    return this.#parsed.limits;
  }

  /** Adds a creation to the line, and looks at once which creations may be admitted. */
  #enter(asking: Asking, admit: Waiter['admit'], refuse: Waiter['refuse']): Waiter {
    const endsAt = performance.now() + (asking.queueMs ?? PACE_WAIT_MS);
    const obstacle: Obstacle = { limit: 'queue', value: this.#line.length, max: MAX_WAITING_CREATIONS };
    const under = this.#limits;
    const own = limitsOn(asking.labels, under);
    const times = { since: Date.now(), endsAt };
    const waiter = { ...asking, ...times, obstacle, own, under, isQueued: false, admit, refuse };
    const behind = this.#line.findIndex(({ priority }) => priority < asking.priority);
    this.#line.splice(behind < 0 ? this.#line.length : behind, 0, waiter);
    this.#lookOn();
    return waiter;
  }

  #tell(type: 'queued' | 'admitted' | 'left' | 'refused', waiter: Waiter, position: number): void {
    const { obstacle, isQueued } = waiter;
    if (isQueued) this.#changed({ type, asking: waiter, position, obstacle });
  }

  #leave(waiter: Waiter, reason: unknown): void {
    const index = this.#line.indexOf(waiter);
    if (index < 0) return;
    this.#tell('left', waiter, index + 1);
    this.#drop(waiter, reason);
  }

  #drop(waiter: Waiter, reason: unknown): void {
    this.#line = this.#line.filter((each) => each !== waiter);
    waiter.refuse(reason);
    // Other creations may have waited only so as not to overtake this creation.
    this.look();
  }

  #dropExcess(waiter: Waiter): void {
    const max = MAX_WAITING_CREATIONS;
    const obstacle: Obstacle = { limit: 'queue', value: this.#line.length - 1, max };
    this.#countRefusal({ ...waiter, obstacle }, 0);
    this.#drop(waiter, overLimit(obstacle));
  }

  /** Admits and refuses the creations that can be answered now. Returns whether others can perhaps be answered as a result. */
  #admitWhoMay(): boolean {
    const { running, memory } = this.#options;
    const limits = this.#limits;
    const now = performance.now();
    const use = this.#use ?? useOf([...running(), ...this.#places.labels()], limits);
    this.#use = use;
    for (const waiter of this.#line) {
      if (waiter.under !== limits)
        Object.assign(waiter, { under: limits, own: limitsOn(waiter.labels, limits) });
    }
    const read = limitsMemory(limits) ? memory.read() : UNKNOWN_MEMORY;
    const paced = isPaced(limits, read) ? (now >= this.#nextAt ? 1 : 0) : Number.POSITIVE_INFINITY;
    const before = this.#line;
    const obstacles = decide(before, { limits, use, memory: read, paced });
    const over: [Waiter, number][] = [];
    this.#line = before.filter((waiter, index) => {
      const obstacle = obstacles[index];
      if (!obstacle) return false;
      waiter.obstacle = obstacle;
      const isOver = now >= waiter.endsAt || (waiter.queueMs === undefined && obstacle.limit !== 'pace');
      if (isOver) over.push([waiter, index + 1]);
      return !isOver;
    });
    if (paced === 1 && obstacles.includes(null)) this.#nextAt = now + ADMISSION_PACE_MS;
    before.forEach((waiter, index) => {
      if (!obstacles[index]) this.#admitWaiting(waiter, index + 1);
    });
    for (const [waiter, position] of over) {
      this.#countRefusal(waiter, position);
      waiter.refuse(overLimit(waiter.obstacle, position));
    }
    return over.length > 0 && this.#line.length > 0;
  }

  #admitWaiting(waiter: Waiter, position: number): void {
    waiter.admit(this.#take(waiter));
    this.#tell('admitted', waiter, position);
  }

  #take(asking: Asking): Place {
    this.#use = undefined;
    return this.#places.take(asking);
  }

  #countRefusal(waiter: Waiter, position: number): void {
    const { obstacle, isQueued } = waiter;
    this.#refused.set(obstacle.limit, (this.#refused.get(obstacle.limit) ?? 0) + 1);
    if (isQueued) this.#tell('refused', waiter, position);
    else this.#changed({ type: 'turned-away', obstacle });
  }

  /** Looks again when the time of a waiting creation is over, or when memory or the pace may allow more. */
  #lookAgain(): void {
    clearTimeout(this.#timer);
    if (this.#line.length === 0) return;
    const now = performance.now();
    const pace = this.#line.some(({ obstacle }) => obstacle.limit === 'pace') ? this.#nextAt - now : Infinity;
    const isForMemory = this.#line.some(({ obstacle: { limit } }) => limit.includes('Memory'));
    const end = this.#line.reduce((first, { endsAt }) => Math.min(first, endsAt), Infinity) - now;
    const ms = Math.min(pace, isForMemory ? MEMORY_LIMIT_LOOK_MS : Infinity, end);
    // A timer may fire up to 1 ms early, and would find nothing to do.
    this.#timer = setTimeout(() => this.look(), Math.max(0, Math.ceil(ms) + 1));
  }
}
