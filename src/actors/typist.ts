import { DomainError } from '../contract/errors.js';
import type { InputOrigin, InputPart } from '../contract/terminal.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import type { OnWritten } from '../workers/pty-host/client/unwritten.js';
import { AgentGuard, type AgentGuardOptions } from './input-gate/agent-guard.js';
import { type Ask, throwIfRefused } from './input-gate/ask.js';
import type { Hold } from './input-gate/hold.js';
import type { InputGate } from './input-gate/input-gate.js';
import type { Registry } from './registry.js';
import {
  type Outcome,
  type Sent,
  SentInput,
  type SentInputOptions,
  type Typed,
  writerOf,
} from './sent-input.js';
import type { TerminalEvents } from './terminal-events.js';
import type { TerminalRecord } from './terminal-record.js';
import { typeTogether } from './type-together.js';
import { type PressOptions, refuseTooLarge, textOf } from './typing.js';

export interface TypistOptions {
  registry: Pick<Registry, 'running' | 'get' | 'find'>;
  events: Pick<TerminalEvents, 'emit'>;
  /** Resolves with the current pty host. */
  host: () => Promise<Host>;
  gate: InputGate;
  agentOf: AgentGuardOptions['agentOf'];
  audit: SentInputOptions['audit'];
}

type Host = Pick<HostConnection, 'type' | 'typeAll' | 'wasTyped'>;

export interface TypeOptions {
  /**
   * Id of the operation: input that was typed into a terminal under it is not typed there again, not even by the next
   * service process. Absent or empty: each call types.
   */
  once?: string | undefined;
  /** How the write wants to pass the gate; absent: as the settings say. */
  ask?: Ask | undefined;
}

/**
 * Types into terminals through the pty host alone, which keeps requests whole and bounded whatever happens to a shard.
 */
export class Typist {
  readonly #options: TypistOptions;
  readonly #agents: AgentGuard;
  readonly #sent: SentInput;

  constructor(options: TypistOptions) {
    this.#options = options;
    const { agentOf, gate } = options;
    this.#agents = new AgentGuard({ agentOf, onRefused: (error) => gate.figures.note(error) });
    this.#sent = new SentInput(options);
  }

  /**
   * Types the parts; resolves once they are accepted, with whether that happened before under the same `once`. Throws
   * terminal-not-found, input-buffer-full, or unavailable if nothing was typed; throws outcome-unknown if only a
   * repetition with the same `once` can find out, which types nothing twice. Throws locked, lease-lost, agent-waiting,
   * agent-busy, no-agent, and the refusal and the reason of the signal of `ask`, if the gate let nothing through.
   */
  async type(
    id: string,
    parts: InputPart[],
    origin: InputOrigin,
    options: TypeOptions = {},
  ): Promise<boolean> {
    const record = this.#options.registry.running(id);
    refuseTooLarge(parts);
    const host = await this.#options.host();
    return this.#pass(host, record, { parts, origin }, options);
  }

  /**
   * Resolves with the right to type several times, for a run, once the gate lets it. Throws locked, lease-lost,
   * agent-waiting, agent-busy, no-agent, terminal-not-found, and the reason of the signal of `ask`.
   */
  async enter(id: string, origin: InputOrigin, ask: Ask = {}): Promise<Hold> {
    const record = this.#options.registry.running(id);
    const { gate } = this.#options;
    const isPerson = origin === 'user';
    const hold = isPerson ? gate.enterForPerson(id, ask) : await gate.enter(id, ask);
    record.writers?.add(writerOf(origin, ask));
    if (ask.ifAgent) await this.#agents.within(record, ask.ifAgent, hold, async () => hold);
    // A refused request ends no lease.
    if (isPerson) gate.personActs(id, ask.lease);
    return hold;
  }

  /** Returns whether anything was typed into the terminal under this operation id. Throws terminal-not-found. */
  async wasTyped(id: string, once: string): Promise<boolean> {
    const { handle } = this.#options.registry.get(id);
    return (await this.#options.host()).wasTyped(handle, once);
  }

  /**
   * Types a key of the service's own, which is no client's input, so no event reports it. Returns false, and types nothing,
   * if `isReady` does not hold in the turn in which the key would be sent. Throws as {@link type} does, and lease-lost if
   * `hold` has no lease any more.
   */
  async press(
    id: string,
    key: string,
    { once, hold, isReady = () => true }: PressOptions = {},
  ): Promise<boolean> {
    const record = this.#options.registry.running(id);
    const host = await this.#options.host();
    hold?.check();
    if (!isReady()) return false;
    await host.type(record.handle, [{ data: key }], once);
    return true;
  }

  /**
   * Reports the line of a run after its shell took the line upon a key, at this position of the output. Does nothing if
   * the terminal is gone.
   */
  announceTyped(
    id: string,
    parts: InputPart[],
    { origin, position, ask }: { origin: InputOrigin; position: number; ask?: Ask | undefined },
  ): void {
    const record = this.#options.registry.find(id);
    if (!record) return;
    this.#sent.announce(record, { parts, origin, at: Date.now(), isRun: true, ask }, position);
  }

  /**
   * Types the same into each terminal, in this order. Returns an entry for each: undefined, or the error, as of
   * {@link type}.
   */
  async typeAll(
    ids: readonly string[],
    parts: InputPart[],
    origin: InputOrigin,
    options: TypeOptions = {},
  ): Promise<(unknown | undefined)[]> {
    const wanted = ids.map((id) => this.#toType(id, parts));
    const records = wanted.flatMap((each) => (each instanceof DomainError ? [] : [each]));
    const host = await this.#options.host().catch((error: unknown) => ({ fault: error }));
    if ('fault' in host) return wanted.map((each) => (each instanceof DomainError ? each : host.fault));
    const { gate } = this.#options;
    // A person's text waits for no other writer, so it goes to all terminals at once.
    const isOpen = ({ id }: TerminalRecord) =>
      origin === 'user' ? !options.ask?.ifAgent : gate.isOpen(id, options.ask);
    const open = new Set(records.filter(isOpen));
    const faults = new Map<TerminalRecord, unknown>();
    const others = records.filter((record) => !open.has(record));
    const passed = others.map((record) =>
      this.#pass(host, record, { parts, origin }, options).catch((fault: unknown) =>
        faults.set(record, fault),
      ),
    );
    await Promise.all([this.#typeOpen(host, [...open], { parts, origin }, options, faults), ...passed]);
    return wanted.map((each) => (each instanceof DomainError ? each : faults.get(each)));
  }

  /** Types into terminals whose gate lets everything through; sets the faults of the terminals that failed. */
  async #typeOpen(
    host: Host,
    records: readonly TerminalRecord[],
    { parts, origin }: Pick<Typed, 'parts' | 'origin'>,
    { once, ask }: TypeOptions,
    faults: Map<TerminalRecord, unknown>,
  ): Promise<void> {
    const { gate } = this.#options;
    const typed = { parts, origin, at: Date.now(), ask };
    const sent = new Map<number, Sent>();
    const begun = records.filter((record) => {
      try {
        throwIfRefused(record.id, ask);
        sent.set(record.handle, this.#sent.begin(record, typed));
        if (origin === 'user') gate.person(record.id, textOf(parts), ask?.lease);
        return true;
      } catch (fault) {
        // The writer may not type there any more, or the mandatory audit line could not be written.
        faults.set(record, fault);
        return false;
      }
    });
    const onWritten: OnWritten = (handle, written) => sent.get(handle)?.written(written);
    const answers = typeTogether(host, begun, parts, once, onWritten);
    if (origin === 'user') for (const { id } of records) gate.look(id);
    const outcomes = await answers;
    for (const [index, record] of begun.entries()) {
      const outcome = outcomes[index] ?? {};
      sent.get(record.handle)?.end(outcome);
      if (outcome.fault !== undefined) faults.set(record, outcome.fault);
    }
  }

  /** Asks the gate, and sends in the turn in which it lets the write through. */
  async #pass(
    host: Host,
    record: TerminalRecord,
    typed: Pick<Typed, 'parts' | 'origin'>,
    { once, ask = {} }: TypeOptions,
  ): Promise<boolean> {
    const { gate } = this.#options;
    const { id, handle } = record;
    const isPerson = typed.origin === 'user';
    throwIfRefused(id, ask);
    const send = async () => {
      const sent = this.#sent.begin(record, { at: Date.now(), ask, ...typed });
      // Only now: what the audit log refuses is no act of a person.
      if (isPerson) gate.person(id, textOf(typed.parts), ask.lease);
      const outcome = this.#send(host, record, { sent, parts: typed.parts }, once);
      if (isPerson) gate.look(id);
      return outcome;
    };
    if (isPerson ? !ask.ifAgent : gate.isOpen(id, ask)) return send();
    const wasTyped = once ? () => host.wasTyped(handle, once) : undefined;
    if (!ask.ifAgent) return gate.through(id, { ...ask, wasTyped }, send);
    // An earlier attempt has found the agent in the requested state.
    if (await wasTyped?.()) return send();
    const hold = isPerson ? gate.enterForPerson(id, ask) : await gate.enter(id, ask);
    return this.#agents.within(record, ask.ifAgent, hold, send).finally(() => hold.release());
  }

  async #send(
    host: Host,
    { handle }: TerminalRecord,
    { sent, parts }: { sent: Sent; parts: InputPart[] },
    once: string | undefined,
  ): Promise<boolean> {
    const onWritten: OnWritten = (_handle, written) => sent.written(written);
    const outcome: Outcome = await host.type(handle, parts, once, onWritten).then(
      (isRepeated) => ({ isRepeated }),
      (fault: unknown) => ({ fault }),
    );
    sent.end(outcome);
    if ('fault' in outcome) throw outcome.fault;
    return outcome.isRepeated ?? false;
  }

  #toType(id: string, parts: readonly InputPart[]): TerminalRecord | DomainError {
    try {
      const record = this.#options.registry.running(id);
      refuseTooLarge(parts);
      return record;
    } catch (error) {
      if (error instanceof DomainError) return error;
      throw error;
    }
  }
}
