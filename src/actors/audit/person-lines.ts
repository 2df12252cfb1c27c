import { isDeepStrictEqual } from 'node:util';
import type { AuditFacts } from '../../contract/audit.js';
import { AUDIT_PERSON_CHARS, AUDIT_PERSON_MS } from '../../contract/limits.js';
import { textOf } from '../typing.js';
import type { AuditedInput, AuditedSend } from './audited-input.js';

/** A line that a person types. */
interface PersonLine {
  facts: AuditFacts;
  text: string;
  isHidden: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Gathers the keys that persons type into lines, since a line of the log for each key would add only how fast a person
 * types. A line ends with Enter, when somebody else types, and when nothing was typed for a while.
 */
export class PersonLines {
  readonly #add: (facts: AuditFacts, text: string, isHidden: boolean) => void;
  readonly #lines = new Map<string, PersonLine>();

  /** @param add - writes a line; `isHidden`: a part of the text was read by a program that does not show it */
  constructor(add: (facts: AuditFacts, text: string, isHidden: boolean) => void) {
    this.#add = add;
  }

  begin({ terminalId, parts, by }: AuditedInput): AuditedSend {
    return {
      written: (isHidden) => {
        if (!isDeepStrictEqual(this.#lines.get(terminalId)?.facts.by, by)) this.flush(terminalId);
        const line = this.#lines.get(terminalId) ?? this.#new(terminalId, by);
        line.text += textOf(parts);
        line.isHidden ||= isHidden;
        line.timer.refresh();
        if (/[\r\n]/.test(line.text) || line.text.length >= AUDIT_PERSON_CHARS) this.flush(terminalId);
      },
      // A person sees at once that nothing happens.
      ended: () => undefined,
    };
  }

  /** Writes the line of a terminal, or all of them. */
  flush(terminalId?: string): void {
    for (const id of terminalId === undefined ? [...this.#lines.keys()] : [terminalId]) {
      const line = this.#lines.get(id);
      if (!line) continue;
      clearTimeout(line.timer);
      this.#lines.delete(id);
      this.#add(line.facts, line.text, line.isHidden);
    }
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
