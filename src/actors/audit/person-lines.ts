import { isDeepStrictEqual } from 'node:util';
import type { AuditFacts } from '../../contract/audit.js';
import { AUDIT_PERSON_CHARS, AUDIT_PERSON_MS } from '../../contract/limits.js';
import { textOf } from '../typing.js';
import type { AuditedInput, AuditedSend } from './audited-input.js';

const ENTER = /[\r\n]/;

/** A line that a person types. */
interface PersonLine {
  facts: AuditFacts;
  text: string;
  isHidden: boolean;
  timer: NodeJS.Timeout;
}

export interface PersonLinesOptions {
  /** Writes a line that was typed; `isHidden`: a part of the text was read by a program that does not show it. */
  add: (facts: AuditFacts, text: string, isHidden: boolean) => void;
  /** Called before the first key of a line is sent. If it throws, the key must not be sent. */
  announce: (facts: AuditFacts) => void;
}

/**
 * Gathers the keys that persons type into lines, since a line of the log for each key would add only how fast a person
 * types. A line ends with Enter, when somebody else types, and when nothing was typed for a while.
 */
export class PersonLines {
  readonly #options: PersonLinesOptions;
  readonly #lines = new Map<string, PersonLine>();
  /** The person that was announced last in each terminal, until the line ends. */
  readonly #announced = new Map<string, AuditedInput['by']>();

  constructor(options: PersonLinesOptions) {
    this.#options = options;
  }

  begin({ terminalId, parts, by }: AuditedInput): AuditedSend {
    this.#announce(terminalId, by);
    // The key after Enter may be sent before the terminal has taken Enter.
    if (ENTER.test(textOf(parts))) this.#announced.delete(terminalId);
    return {
      written: (isHidden) => {
        if (!isDeepStrictEqual(this.#lines.get(terminalId)?.facts.by, by)) this.flush(terminalId);
        const line = this.#lines.get(terminalId) ?? this.#new(terminalId, by);
        line.text += textOf(parts);
        line.isHidden ||= isHidden;
        line.timer.refresh();
        if (ENTER.test(line.text) || line.text.length >= AUDIT_PERSON_CHARS) this.flush(terminalId);
      },
      // A person sees at once that nothing happens.
      ended: ({ fault, isRepeated = false }) => {
        if (fault !== undefined || isRepeated) this.#announced.delete(terminalId);
      },
    };
  }

  /** Writes the line of a terminal, or all of them. */
  flush(terminalId?: string): void {
    for (const id of terminalId === undefined ? [...this.#lines.keys()] : [terminalId]) {
      const line = this.#lines.get(id);
      if (!line) continue;
      this.#announced.delete(id);
      clearTimeout(line.timer);
      this.#lines.delete(id);
      this.#options.add(line.facts, line.text, line.isHidden);
    }
  }

  #announce(terminalId: string, by: AuditedInput['by']): void {
    if (isDeepStrictEqual(this.#announced.get(terminalId), by)) return;
    this.#options.announce({ action: 'type', by, terminalId });
    this.#announced.set(terminalId, by);
  }

  #new(terminalId: string, by: AuditedInput['by']): PersonLine {
    const line = {
      facts: { action: 'typed', by, terminalId },
      text: '',
      isHidden: false,
      timer: setTimeout(() => this.flush(terminalId), AUDIT_PERSON_MS).unref(),
    };
    this.#lines.set(terminalId, line);
    return line;
  }
}
