import { DomainError } from '../../contract/errors.js';
import type { Lease, LeaseBody, LeaseChange, LeaseState, WhenBusy } from '../../contract/input-gate.js';
import { DEFAULT_QUEUE_MS, LEASE_SETTLE_MS, MAX_WAITING_WRITERS } from '../../contract/limits.js';
import { type Ask, type Claimant, type Clock, type GateSettings, unlessTyped, whoOf } from './ask.js';
import type { Hold } from './hold.js';
import { Holds } from './holds.js';
import { LeaseSlot, publicOf } from './lease-slot.js';
import { Line, type Waiter } from './line.js';
import { type Obstacle, refusal } from './obstacle.js';
import { Presence } from './presence.js';

export interface TerminalGateOptions {
  settings: () => GateSettings;
  clock: Clock;
  /** Returns whether the terminal has been sent input that its PTY has not taken yet. */
  isInFlight: () => boolean;
  onLease: (change: LeaseChange) => void;
}

/**
 * Decides who may type into one terminal. Each decision and its consequences happen in one turn of the event loop, so
 * that no other writer can get in between.
 */
export class TerminalGate {
  /** The lease of the terminal. */
  readonly slot: LeaseSlot;
  readonly #options: TerminalGateOptions;
  readonly #presence: Presence;
  /** Waiters without a lease. */
  readonly #line: Line;
  /** Writers under the present lease, which wait for a person or a hold. */
  readonly #ownLine: Line;
  readonly #holds: Holds;
  #stopLook: (() => void) | undefined;

  constructor(options: TerminalGateOptions) {
    const { clock, onLease } = options;
    this.#options = options;
    this.#presence = new Presence(clock);
    this.#line = new Line(clock);
    this.#ownLine = new Line(clock);
    this.slot = new LeaseSlot({
      clock,
      onChange: onLease,
      onEnded: () => this.#ownLine.rejectAll(() => this.slot.lost()),
      onFree: () => this.look(),
    });
    this.#holds = new Holds(this.slot, () => this.look());
  }

  /** Whether a write without terms of its own passes under the setting `off`. */
  get isOpen(): boolean {
    return this.slot.current === undefined;
  }

  /** Number of waiters in both lines. */
  get waiting(): number {
    return this.#ownLine.size + this.#line.size;
  }

  /**
   * Calls `go` in the turn in which the writer may type: at once, or when its turn in the line has come. Calls `reject`
   * with locked, lease-lost, or the reason of its signal if that fires while it waits, or before.
   */
  admit(ask: Ask, go: () => void, reject: (reason: unknown) => void): void {
    const lost = this.#lossOf(ask);
    const whenBusy = this.#whenBusyOf(ask);
    const obstacle = lost ? undefined : this.#obstacle(ask, whenBusy);
    if (!lost && !obstacle) go();
    else if (!lost && whenBusy === 'queue' && this.#lineOf(ask).size < MAX_WAITING_WRITERS) {
      this.#queue(ask, go, reject);
    } else {
      const error = lost ?? this.#refusal(obstacle);
      unlessTyped(ask, go, () => reject(error), reject);
    }
  }

  /** Returns a hold; call it only when {@link admit} calls `go`. */
  hold(ask: Ask, refusal: () => DomainError | undefined): Hold {
    return this.#holds.add(ask, refusal);
  }

  /** Returns a hold for a person, whom no lease keeps from typing. */
  holdForPerson(ask: Ask, refusal: () => DomainError | undefined): Hold {
    return this.#holds.add(ask, refusal, true);
  }

  /**
   * Notes that a person's client is about to send this. A key ends the lease, unless the person has it. Only once it is
   * sent, call {@link look}, so that no waiter goes before it.
   */
  person(data: string, leaseId: string | undefined): void {
    if (this.#presence.typed(data)) this.personActs(leaseId);
  }

  /** Notes an action of a person in the terminal: it ends the lease, unless the person has it. */
  personActs(leaseId: string | undefined): void {
    if (!this.slot.isHeldBy(leaseId)) this.slot.end('person');
  }

  /** Notes that a program has submitted or dropped the line, and a person's half-typed line with it. */
  lineEnded(): void {
    if (!this.#presence.hasDraft) return;
    this.#presence.lineEnded();
    this.look();
  }

  /** Takes the lease: calls `grant`, or `reject` with locked or the reason of the signal, which has not fired yet. */
  lease(
    { leaseId, ttlMs, waitMs, takeover, reason }: LeaseBody & { leaseId: string },
    { who, signal }: Claimant,
    grant: (lease: Lease) => void,
    reject: (reason: unknown) => void,
  ): void {
    const { current } = this.slot;
    const go = () => grant(this.slot.grant({ leaseId, ttlMs, reason, who: who() }));
    const obstacle = this.#obstacleToLease(takeover);
    const settles = takeover || obstacle?.by === 'in flight';
    const patienceMs = settles ? Math.max(waitMs, LEASE_SETTLE_MS) : waitMs;
    // A repeated request gets the lease of the first attempt.
    if (current?.leaseId === leaseId) grant(publicOf(current));
    else if (!obstacle) go();
    else if (patienceMs === 0 || this.#line.size >= MAX_WAITING_WRITERS) reject(this.#refusal(obstacle));
    else {
      const waiter: Waiter = { wants: 'lease', who, isTakeover: takeover, signal, patienceMs, go, reject };
      this.#wait(this.#line, waiter, () => this.#refusal(this.#obstacleToLease(takeover, waiter)));
    }
  }

  /** Returns the state of the lease, of a person's input, and of the line. */
  state(): LeaseState {
    const { who: holder = null, fence = null, expiresAt = null, reason = null } = this.slot.current ?? {};
    const { at: humanAt, hasDraft: draft } = this.#presence;
    const waiters = [...this.#ownLine.waiters, ...this.#line.waiters];
    const queue = waiters.map(({ wants, who }) => ({ wants, who: who() }));
    return { holder, fence, expiresAt, reason, humanAt, draft, queued: queue.length, queue };
  }

  /** Rejects all waiters and ends the lease, since the terminal has ended. */
  close(): void {
    const gone = () => new DomainError('terminal-not-found');
    this.#ownLine.rejectAll(gone);
    this.#line.rejectAll(gone);
    this.slot.end('exited');
    this.#stopLook?.();
  }

  /** Admits the waiters that may go, in order; call it when an obstacle may have gone. */
  look(): void {
    this.#stopLook?.();
    this.#stopLook = undefined;
    for (const line of [this.#ownLine, this.#line]) {
      for (let { first } = line; first && this.#mayGo(first, line); { first } = line) {
        line.take(first);
        first.go();
      }
    }
    if (this.waiting === 0) return;
    const freeInMs = this.#freeInMs();
    // No event reports that a person has stopped typing.
    if (freeInMs > 0) this.#stopLook = this.#options.clock.after(freeInMs, () => this.look());
  }

  #queue(ask: Ask, go: () => void, reject: (reason: unknown) => void): void {
    const line = this.#lineOf(ask);
    const { signal, queueMs: patienceMs = DEFAULT_QUEUE_MS } = ask;
    const who = () => whoOf(ask);
    const waiter: Waiter = { wants: 'type', who, isTakeover: false, signal, patienceMs, go, reject };
    this.#wait(line, waiter, () => this.#refusal(this.#obstacle(ask, 'queue', waiter)));
    const leave = (then: () => void) => {
      if (!line.take(waiter)) return;
      then();
      this.look();
    };
    const stay = () => {};
    unlessTyped(
      ask,
      () => leave(go),
      stay,
      (fault) => leave(() => reject(fault)),
    );
  }

  #wait(line: Line, waiter: Waiter, late: () => DomainError): void {
    line.add(waiter, late, () => this.look());
    this.look();
  }

  #whenBusyOf({ whenBusy }: Ask): WhenBusy {
    const { protectHumans } = this.#options.settings();
    return whenBusy ?? (protectHumans === 'off' ? 'force' : protectHumans);
  }

  #isHolder({ lease }: Ask): boolean {
    return this.slot.isHeldBy(lease);
  }

  #lineOf(ask: Ask): Line {
    return this.#isHolder(ask) ? this.#ownLine : this.#line;
  }

  #lossOf(ask: Ask): DomainError | undefined {
    const isLost = ask.lease !== undefined && !this.#isHolder(ask) && !ask.isLeaseOptional;
    return isLost ? this.slot.lost() : undefined;
  }

  /** @param self - the waiter that asks: waiters behind it are not in its way */
  #obstacle(ask: Ask, whenBusy: WhenBusy, self?: Waiter): Obstacle | undefined {
    const lease = this.slot.current;
    if (lease && !this.#isHolder(ask)) return { by: 'lease', lease };
    if (whenBusy === 'force') return undefined;
    const freeInMs = this.#freeInMs();
    if (freeInMs > 0) return { by: 'person', freeInMs };
    if (ask.hold && this.#holds.has(ask.hold)) return undefined;
    return this.#held() ?? inLine(this.#lineOf(ask), self);
  }

  #obstacleToLease(takeover: boolean, self?: Waiter): Obstacle | undefined {
    const lease = this.slot.current;
    if (lease && !takeover) return { by: 'lease', lease };
    const obstacle = this.#held();
    if (obstacle) return obstacle;
    if (this.#options.isInFlight()) return { by: 'in flight' };
    return takeover && !this.#line.first?.isTakeover ? undefined : inLine(this.#line, self);
  }

  #held(): Obstacle | undefined {
    const who = this.#holds.first;
    return who && { by: 'hold', who };
  }

  #refusal(obstacle: Obstacle | undefined): DomainError {
    return refusal(obstacle, this.#presence.hasDraft, this.#options.clock);
  }

  #freeInMs(): number {
    return this.#presence.freeInMs(this.#options.settings());
  }

  #mayGo(first: Waiter, line: Line): boolean {
    if (first.wants === 'lease') return !this.#obstacleToLease(first.isTakeover, first);
    const isFree = line === this.#ownLine || !this.slot.current;
    return isFree && !this.#held() && this.#freeInMs() === 0;
  }
}

function inLine({ first }: Line, self: Waiter | undefined): Obstacle | undefined {
  return first && first !== self ? { by: 'line', who: first.who() } : undefined;
}
