import { createHash } from 'node:crypto';
import type { AuditFacts } from '../../contract/audit.js';
import { DomainError } from '../../contract/errors.js';
import { textOf } from '../typing.js';
import type { AuditedInput, AuditedSend, AuditSink } from './audited-input.js';
import { PersonLines } from './person-lines.js';
import { redactedText } from './redacted-text.js';

/**
 * Writes typed input to the audit log. A first line is written before text is sent, so that no text is typed without
 * its line; a second line has the text once the terminal has taken it, since only then is it known whether the text is
 * a secret. The keys of a person are gathered into a single line of the log for each line typed; where the log is required,
 * a line comes before the first of these keys, too.
 */
export class TypedLines {
  readonly #audit: AuditSink;
  readonly #persons: PersonLines;

  constructor(audit: AuditSink) {
    this.#audit = audit;
    this.#persons = new PersonLines({
      add: (facts, text, isHidden) => this.#add(facts, text, isHidden),
      announce: (facts) => {
        if (this.#audit.isRequired) this.#audit.begin(facts);
      },
    });
  }

  /** Call just before input is sent. If it throws `audit-unavailable`, the input must not be sent. */
  begin(input: AuditedInput): AuditedSend | undefined {
    if (!this.#audit.isOn) return undefined;
    if (input.by.kind === 'user') return this.#persons.begin(input);
    const of = this.#audit.begin(this.#begun(input));
    if (of === undefined) return undefined;
    const { terminalId, parts } = input;
    return {
      written: (isHidden) => this.#add({ action: 'typed', of, terminalId }, textOf(parts), isHidden),
      ended: ({ fault, isRepeated }) => {
        if (isRepeated) this.#audit.add({ action: 'untyped', of, terminalId, code: 'repeated' });
        else if (fault !== undefined)
          this.#audit.add({ action: 'untyped', of, terminalId, code: codeOf(fault) });
      },
    };
  }

  /** Writes both lines about input that a program has taken already. */
  taken(input: AuditedInput): void {
    if (!this.#audit.isOn) return;
    const { terminalId, parts } = input;
    const of = this.#audit.add(this.#begun(input));
    this.#add({ action: 'typed', ...(of !== undefined && { of }), terminalId }, textOf(parts), false);
  }

  /** Writes the keys that persons have typed so far. */
  close(): void {
    this.#persons.flush();
  }

  #begun({ terminalId, by, request }: AuditedInput): AuditFacts {
    this.#persons.flush(terminalId);
    return { action: 'type', by, terminalId, ...(request !== undefined && { request }) };
  }

  #add(facts: AuditFacts, text: string, isHidden: boolean): void {
    const told = isHidden ? { secret: true as const } : this.#told(text, facts.terminalId ?? '');
    this.#audit.add({ ...facts, ...told });
  }

  #told(text: string, terminalId: string): Omit<AuditFacts, 'action'> {
    const bytes = Buffer.from(text);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const measured = { bytes: bytes.length, sha256 };
    const { text: kept } = this.#audit;
    if (kept === 'none') return measured;
    if (kept === 'full') return { ...measured, text };
    const redacted = redactedText(text, this.#audit.secretsOf(terminalId));
    // With the remainder of the text, a short secret could be guessed from the hash.
    return redacted === text ? { ...measured, text } : { redacted: true, text: redacted };
  }
}

function codeOf(fault: unknown): string {
  return fault instanceof DomainError ? fault.code : 'internal';
}
