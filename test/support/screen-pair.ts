import type { Terminal } from '@xterm/headless';
import { serializeScreen } from '../../src/workers/shard/screen/serialize/serialize.js';
import { guard } from '../../src/workers/shard/screen/xterm/guards.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { resizeTerminal } from '../../src/workers/shard/screen/xterm/resize.js';
import { createTerminal, writeSync } from '../../src/workers/shard/screen/xterm/terminal.js';
import { UnfinishedSequence } from '../../src/workers/shard/screen/xterm/unfinished-sequence.js';
import { assertSameState, type StateOptions } from './screen-compare.js';

export interface Size {
  cols: number;
  rows: number;
}

/** A step of a terminal: output, or a resize. */
export type Step = string | Uint8Array | Size;

/** A bare xterm that gets its output decoded, with the guards of a screen so that no sequence stops it. */
export class Bare {
  readonly term: Terminal;
  readonly scrollback: number;
  readonly #tail = new UnfinishedSequence();

  constructor(size: Size, scrollback: number) {
    this.scrollback = scrollback;
    this.term = createTerminal(size.cols, size.rows, scrollback);
    guard(internals(this.term));
  }

  do(step: Step): void {
    if (typeof step === 'string' || step instanceof Uint8Array) {
      const whole = this.#tail.wholeCharacters(typeof step === 'string' ? Buffer.from(step) : step);
      writeSync(this.term, Buffer.from(whole).toString('utf8'));
      this.#tail.parsed(whole, internals(this.term)._inputHandler._parser.currentState);
    } else {
      resizeTerminal(this.term, step.cols, step.rows);
    }
  }

  pending(): Uint8Array {
    return this.#tail.pending();
  }

  /** Returns a fresh terminal of this size, after writing this terminal's serialized state to it. */
  copy(scrollback: boolean): { copy: Bare; losses: string[]; text: string } {
    const { text, losses } = serializeScreen(internals(this.term), scrollback);
    const copy = new Bare({ cols: this.term.cols, rows: this.term.rows }, this.scrollback);
    copy.do(text);
    copy.do(this.pending());
    return { copy, losses, text };
  }

  dispose(): void {
    this.term.dispose();
  }
}

/**
 * Asserts that a copy of `original` has the same state, and keeps it after each step of `further`. Returns the losses
 * that the serializer reports; if it reports any, asserts nothing.
 */
export function assertRoundTrip(original: Bare, further: Step[], scrollback = true): string[] {
  const { copy, losses, text } = original.copy(scrollback);
  if (losses.length > 0) {
    copy.dispose();
    return losses;
  }
  const compare = (options: StateOptions, where: string) => {
    try {
      assertSameState(copy.term, original.term, options);
    } catch (error) {
      throw new Error(`${where}: ${(error as Error).message}\n  written ${JSON.stringify(text)}`);
    }
  };
  compare({ scrollback, isLater: false }, 'restored');
  for (const [index, step] of further.entries()) {
    original.do(step);
    copy.do(step);
    compare({ scrollback, isLater: true }, `after step ${index}, ${JSON.stringify(step)}`);
  }
  copy.dispose();
  return [];
}
