import { DomainError } from '../contract/errors.js';
import type { Principal } from '../contract/principal.js';
import type { InputOrigin, InputPart } from '../contract/terminal.js';
import { hrMs } from '../workers/clock.js';
import type { Written } from '../workers/pty-host/wire/typing.js';
import type { AuditedInput } from './audit/audited-input.js';
import type { TypedLines } from './audit/typed-lines.js';
import { type Ask, UNKNOWN_WRITER } from './input-gate/ask.js';
import type { InputGate } from './input-gate/input-gate.js';
import { holdsKey } from './input-gate/person-typing.js';
import type { TerminalEvents } from './terminal-events.js';
import type { TerminalRecord } from './terminal-record.js';
import { dropsLine, submits, textOf } from './typing.js';

export interface SentInputOptions {
  events: Pick<TerminalEvents, 'emit'>;
  gate: Pick<InputGate, 'lineEnded' | 'look'>;
  /** The audit log of typed text. */
  audit: Pick<TypedLines, 'begin' | 'taken'>;
}

/** Input, and the facts that its events report. */
export interface Typed {
  parts: InputPart[];
  origin: InputOrigin;
  /** Epoch milliseconds. */
  at: number;
  isRun?: boolean;
  /** The writer and its request, as far as they are known. */
  ask?: Pick<Ask, 'who' | 'request'> | undefined;
}

/** Outcome of a request. */
export interface Outcome {
  fault?: unknown;
  isRepeated?: boolean;
}

/** Callbacks for when sent input was written, and for when its request was answered. */
export interface Sent {
  written(written: Written): void;
  end(outcome: Outcome): void;
}

/** Reports input from before it is sent until its PTY has taken it. */
export class SentInput {
  readonly #options: SentInputOptions;

  constructor(options: SentInputOptions) {
    this.#options = options;
  }

  /** Reports input that its program took by itself, at this position of the output. */
  announce(record: TerminalRecord, typed: Typed, position: number): void {
    const audited = auditedOf(record, typed);
    record.writers?.add(audited.by);
    this.#options.audit.taken(audited);
    this.#tell(record, typed);
    this.#written(record, typed, { isHidden: false, position });
  }

  /**
   * Call just before input is sent; returns the callbacks for when it was written and answered. Throws
   * `audit-unavailable`, upon which it must not be sent.
   */
  begin(record: TerminalRecord, typed: Typed): Sent {
    const { gate, events } = this.#options;
    const { parts, origin } = typed;
    const facts = auditedOf(record, typed);
    const audited = this.#options.audit.begin(facts);
    record.writers?.add(facts.by);
    if (submits(parts)) record.submittedAt = hrMs();
    record.writes = (record.writes ?? 0) + 1;
    record.inFlight = (record.inFlight ?? 0) + 1;
    events.emit({ type: 'typing', id: record.id, parts });
    // Both must have come: the facts that the answer sets are looked at as soon as nothing is in flight.
    const missing = new Set(['written', 'answer']);
    const land = (...what: string[]) => {
      const isInFlight = missing.size > 0;
      for (const each of what) missing.delete(each);
      if (!isInFlight || missing.size > 0) return;
      record.inFlight = (record.inFlight ?? 1) - 1;
      if (record.inFlight === 0) gate.look(record.id);
    };
    return {
      written: (written) => {
        this.#written(record, typed, written);
        audited?.written(written.isHidden);
        land('written');
      },
      end: (outcome) => {
        this.#end(record, typed, outcome);
        audited?.ended(outcome);
        const isTyped = outcome.fault === undefined && !outcome.isRepeated;
        if (isTyped && origin !== 'user' && dropsLine(parts)) gate.lineEnded(record.id);
        // Input that was not typed, or may not have been, is not reported as written.
        land('answer', ...(isTyped ? [] : ['written']));
      },
    };
  }

  #end(record: TerminalRecord, typed: Typed, { fault, isRepeated }: Outcome): void {
    if (fault === undefined && !isRepeated) this.#tell(record, typed);
    else if (!(fault instanceof DomainError && fault.code === 'outcome-unknown'))
      this.#options.events.emit({ type: 'untyped', id: record.id, parts: typed.parts });
  }

  #tell(record: TerminalRecord, { parts, origin, at, isRun }: Typed): void {
    // A report of the focus or the mouse answers no question, and nothing need be printed after it.
    if (holdsKey(textOf(parts))) record.lastInput = { source: origin, at, hrMs: hrMs() };
    this.#options.events.emit({ type: 'typed', id: record.id, parts, origin, at, ...(isRun && { isRun }) });
  }

  #written({ id }: TerminalRecord, { parts, at }: Typed, { isHidden, position }: Written): void {
    this.#options.events.emit({ type: 'written', id, parts, at, isHidden, position });
  }
}

function auditedOf({ id }: TerminalRecord, { parts, origin, ask }: Typed): AuditedInput {
  return { terminalId: id, parts, by: writerOf(origin, ask), request: ask?.request };
}

/** Returns the writer, as far as it is known. */
export function writerOf(origin: InputOrigin, ask: Pick<Ask, 'who'> | undefined): Principal {
  return ask?.who?.() ?? (origin === 'api' ? UNKNOWN_WRITER : { kind: origin, verified: false });
}
