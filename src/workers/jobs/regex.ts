import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { isNativeError } from 'node:util/types';
import { createContext, Script } from 'node:vm';

interface PatternRequest {
  /** A regular expression, with the flags `mu`. */
  pattern: string;
  /** Texts to search, one after the other. */
  texts: readonly string[];
  deadlineMs: number;
}

export type PatternResult =
  | { kind: 'found'; match: string }
  | { kind: 'absent' }
  | { kind: 'too-slow' }
  /** The engine cannot compile the pattern. */
  | { kind: 'invalid'; reason: string };

/** Nice value of the thread: a match may take long, and programs in terminals come first. */
const NICENESS = 10;

const context = createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
const match = new Script('pattern.exec(text)');
let isNice = false;

/**
 * Returns the first match in the texts. V8 checks the deadline while it backtracks, so that this thread survives it.
 */
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
    // Backtracking that uses up the stack is a RangeError.
    if (error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' || error.name === 'RangeError')
      return { kind: 'too-slow' };
    // Includes patterns that are too large when compiled.
    return { kind: 'invalid', reason: error.message };
  } finally {
    context.text = '';
  }
}

/**
 * Compiles a pattern behind an empty lookahead, which keeps V8 from computing the characters that a match may begin
 * with. For a few unicode classes in a row that takes V8 up to 16 s, during which nothing can stop V8 or this thread.
 */
function compile(pattern: string): RegExp {
  const valid = new RegExp(pattern, 'mu');
  return new RegExp(`(?=)(?:${valid.source})`, 'mu');
}

/** Returns whether this is an error, even of the other context, which has its own Error class. */
function isError(error: unknown): error is { name: string; message: string; code?: unknown } {
  return isNativeError(error);
}

/** Lowers this thread's priority, on Linux only: elsewhere the call would lower that of the whole process. */
function giveWay(): void {
  if (isNice || process.platform !== 'linux') return;
  isNice = true;
  const thread = readlinkSync('/proc/thread-self').split('/').at(-1);
  setPriority(Number(thread), NICENESS);
}
