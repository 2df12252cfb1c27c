import { DomainError } from '../../contract/errors.js';
import type { InputState, Lease, LeaseBody, LeaseState } from '../../contract/input-gate.js';
import type { EngineEvent } from '../events.js';
import { type Ask, CLOCK, type Claimant, type Clock, type GateSettings } from './ask.js';
import { GateFigures } from './gate-figures.js';
import type { Hold } from './hold.js';
import { TerminalGate } from './terminal-gate.js';

export interface InputGateOptions {
  settings: () => GateSettings;
  /** Returns whether the terminal runs. */
  isRunning: (id: string) => boolean;
  /** Returns whether a running terminal has been sent input that its PTY has not taken yet. */
  isInFlight: (id: string) => boolean;
  /** Emits each change of a lease. */
  emit: (event: EngineEvent & { type: 'lease' }) => void;
  clock?: Clock;
}

/** State of a terminal into which no person has typed and for which no client has asked. */
const NOTHING: LeaseState = {
  holder: null,
  fence: null,
  expiresAt: null,
  reason: null,
  humanAt: null,
  draft: false,
  queued: 0,
  queue: [],
};

/**
 * Decides, as the only part of the service, which writer may type into which terminal. A terminal that no client has
 * asked for, where nothing was run, and into which no person has typed, has no entry and costs nothing. In memory only:
 * leases, drafts and lines end with the service.
 */
export class InputGate {
  readonly #options: InputGateOptions;
  readonly #clock: Clock;
  readonly #gates = new Map<string, TerminalGate>();
  /** Refusals and changes of leases since the service started, counted. */
  readonly figures = new GateFigures();

  constructor(options: InputGateOptions) {
    this.#options = options;
    this.#clock = options.clock ?? CLOCK;
  }

  /** Writers, and requests for a lease, that wait in line for a terminal. */
  get waiting(): number {
    return [...this.#gates.values()].reduce((sum, gate) => sum + gate.waiting, 0);
  }

  /** Number of terminals that a program has a lease of. */
  get leases(): number {
    return [...this.#gates.values()].filter(({ slot }) => slot.current).length;
  }

  /** Returns whether a program's write may be sent without passing the gate, as every write may by default. */
  isOpen(id: string, ask: Ask | undefined): boolean {
    if (ask && (ask.whenBusy !== undefined || ask.lease !== undefined || ask.ifAgent)) return false;
    if (ask?.refusal?.(id)) return false;
    if (this.#options.settings().protectHumans !== 'off') return false;
    return this.#gates.get(id)?.isOpen ?? true;
  }

  /** Notes that a person types this; see {@link TerminalGate.person}. */
  person(id: string, data: string, leaseId: string | undefined): void {
    if (this.#options.isRunning(id)) this.#gateOf(id).person(data, leaseId);
  }

  /** Notes that a program's input has submitted or dropped the line of a terminal. */
  lineEnded(id: string): void {
    this.#gates.get(id)?.lineEnded();
  }

  /** Admits the waiters that may go now. Call when input in flight has reached the PTY, and when a person's input was sent. */
  look(id: string): void {
    this.#gates.get(id)?.look();
  }

  /**
   * Calls `send` in the turn in which the writer may type, and resolves as it does. Rejects with locked, lease-lost,
   * terminal-not-found, the refusal of `ask`, and the reason of the signal. A signal that has fired only keeps the writer
   * from waiting: what a client sent before it left is still typed if nothing is in its way.
   */
  through<Result>(id: string, ask: Ask, send: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const refuse = this.#counted(reject);
      const go = whileAllowed(id, ask, () => send().then(resolve, reject), refuse);
      this.#gateOf(id).admit(ask, go, refuse);
    });
  }

  /**
   * Resolves with a hold once the writer may type. Rejects as {@link through} does: a run whose time is already over is
   * still typed if nothing is in its way.
   */
  enter(id: string, ask: Ask): Promise<Hold> {
    return new Promise((resolve, reject) => {
      const gate = this.#gateOf(id);
      const refuse = this.#counted(reject);
      gate.admit(
        ask,
        whileAllowed(id, ask, () => resolve(gate.hold(ask, () => ask.refusal?.(id))), refuse),
        refuse,
      );
    });
  }

  /** Returns a hold for a person, who does not wait. Throws terminal-not-found. */
  enterForPerson(id: string, ask: Ask): Hold {
    return this.#gateOf(id).holdForPerson(ask, () => ask.refusal?.(id));
  }

  /** Notes an action of a person; see {@link TerminalGate.personActs}. */
  personActs(id: string, leaseId: string | undefined): void {
    if (this.#options.isRunning(id)) this.#gateOf(id).personActs(leaseId);
  }

  /** Resolves with a lease. Rejects with locked, terminal-not-found, and the reason of the signal. */
  lease(id: string, asked: LeaseBody & { leaseId: string }, claimant: Claimant): Promise<Lease> {
    return new Promise((resolve, reject) => {
      claimant.signal.throwIfAborted();
      this.#gateOf(id).lease(asked, claimant, resolve, this.#counted(reject));
    });
  }

  /** Throws lease-lost, terminal-not-found. */
  renew(id: string, leaseId: string, ttlMs: number): Lease {
    return this.#gateOf(id).slot.renew(leaseId, ttlMs);
  }

  /** Throws lease-lost, terminal-not-found. */
  release(id: string, leaseId: string): void {
    this.#gateOf(id).slot.release(leaseId);
  }

  /** Ends a lease that was tied to a connection which is now gone, if it has not ended before. */
  disconnected(id: string, leaseId: string): void {
    this.#gates.get(id)?.slot.disconnected(leaseId);
  }

  /** Throws terminal-not-found. */
  state(id: string): LeaseState {
    if (!this.#options.isRunning(id)) throw new DomainError('terminal-not-found');
    return this.#gates.get(id)?.state() ?? NOTHING;
  }

  /** Returns the input state that a client should know; undefined if there is no lease, no waiter, and no input by a person. */
  told(id: string): InputState | undefined {
    const gate = this.#gates.get(id);
    if (!gate) return undefined;
    const { queue, ...state } = gate.state();
    const { holder, humanAt, queued } = state;
    return holder === null && humanAt === null && queued === 0 ? undefined : state;
  }

  onEvent({ type, id }: EngineEvent): void {
    if (type !== 'exited' && type !== 'removed') return;
    const gate = this.#gates.get(id);
    this.#gates.delete(id);
    gate?.close();
  }

  #counted(reject: (reason: unknown) => void): (reason: unknown) => void {
    return (reason) => {
      this.figures.note(reason);
      reject(reason);
    };
  }

  #gateOf(id: string): TerminalGate {
    const known = this.#gates.get(id);
    if (known) return known;
    const { settings, isRunning, isInFlight, emit } = this.#options;
    // A gate made for a terminal that has ended would never be dropped.
    if (!isRunning(id)) throw new DomainError('terminal-not-found');
    const gate = new TerminalGate({
      settings,
      clock: this.#clock,
      isInFlight: () => isInFlight(id),
      onLease: (change) => {
        this.figures.leaseChanged(change);
        emit({ type: 'lease', id, change });
      },
    });
    this.#gates.set(id, gate);
    return gate;
  }
}

/** Returns `go`, unless the writer may not type by then: a write may wait for long, and a run even without its client. */
function whileAllowed(
  id: string,
  { refusal }: Pick<Ask, 'refusal'>,
  go: () => void,
  reject: (reason: unknown) => void,
): () => void {
  return () => {
    const refused = refusal?.(id);
    if (refused) reject(refused);
    else go();
  };
}
