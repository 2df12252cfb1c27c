import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isNativeError } from 'node:util/types';
import { createContext, Script } from 'node:vm';

interface PatternRequest {
  /** A regular expression, with the flags `mu`. */
  pattern: string;
  /** Tried one after the other. */
  texts: readonly string[];
  deadlineMs: number;
}

export type PatternResult =
  | { kind: 'found'; match: string }
  | { kind: 'absent' }
  | { kind: 'too-slow' }
  /** The engine cannot make anything of it after all. */
  | { kind: 'invalid'; reason: string };

/** Where it works it may take long: programs in terminals come first. */
const NICENESS = 10;

const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
const match = new Script('pattern.exec(text)');
let isNice = false;

/** Looks for the first match. V8 asks while it backtracks whether the time is over, so that this thread goes on after it. */
export function matchPattern({ pattern, texts, deadlineMs }: PatternRequest): PatternResult {
  giveWay();
  const endsAt = performance.now() + deadlineMs;
  try {
    context.pattern = compile(pattern);
    for (const text of texts) {
      context.text = text;
      const timeout = Math.max(1, Math.ceil(endsAt - performance.now()));
      const found = match.runInContext(context, { timeout }) as RegExpExecArray | null;
      if (found) return { kind: 'found', match: found[0] };
    }
    return { kind: 'absent' };
  } catch (error) {
    if (!isError(error)) throw error;
    // A RangeError where backtracking uses up the stack.
    if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' || error.name === 'RangeError')
      return { kind: 'too-slow' };
    // Also of patterns that are too large once they are compiled.
    return { kind: 'invalid', reason: error.message };
  } finally {
    context.text = '';
  }
}

/**
 * Behind a lookahead V8 does not work out which characters a match may begin with. For a few unicode classes one after
 * the other that takes it up to 16 s, in which nothing stops it, nor this thread.
 */
function compile(pattern: string): RegExp {
  const valid = new RegExp(pattern, 'mu');
  return new RegExp(`(?=)(?:${valid.source})`, 'mu');
}

/** Also one of the other context, whose Error is another. */
function isError(error: unknown): error is { name: string; message: string; code?: unknown } {
  return isNativeError(error);
}

/** Linux gives each thread a priority of its own; elsewhere it would be that of the whole process. */
function giveWay(): void {
  if (isNice || process.platform !== 'linux') return;
  isNice = true;
  const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
  setPriority(Number(thread), NICENESS);
}
