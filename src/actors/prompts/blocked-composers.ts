import type { InputPart } from '../../contract/terminal.js';
import { dropsLine } from '../typing.js';
import type { PromptRecords } from './prompt-records.js';

/** Terminals whose agent's composer may still hold the text of a prompt that stalled: nothing is typed after such text. */
export class BlockedComposers {
  readonly #records: PromptRecords;
  readonly #terminals: Set<string>;

  constructor(records: PromptRecords) {
    this.#records = records;
    const inTheWay = records.all().filter(([, { isInTheWay }]) => isInTheWay);
    this.#terminals = new Set(inTheWay.map(([, { terminalId }]) => terminalId));
  }

  has(terminalId: string): boolean {
    return this.#terminals.has(terminalId);
  }

  add(terminalId: string): void {
    this.#terminals.add(terminalId);
  }

  /** Takes input of anybody, also while no prompt waits: nothing would show a later prompt that the line was dropped. */
  typed(terminalId: string, parts: readonly InputPart[]): void {
    if (this.#terminals.has(terminalId) && dropsLine(parts)) this.clear(terminalId);
  }

  /** Notes that the composer can no longer hold such text. */
  clear(terminalId: string): void {
    if (!this.#terminals.delete(terminalId)) return;
    for (const [id, { isInTheWay }] of this.#records.of(terminalId)) {
      if (isInTheWay) void this.#records.change(id, { isInTheWay: false });
    }
  }
}
