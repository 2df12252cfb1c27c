import { setPriority } from 'node:os';
import { isNativeError } from 'node:util/types';
import { createContext, Script } from 'node:vm';
import { beginRunTime, threadMs, threadNumber } from '../thread-time.js';

interface PatternRequest {
  /** A regular expression, with the flags `mu`. */
  pattern: string;
  /** Texts to search, one after the other. */
  texts: readonly string[];
  /** Milliseconds of this thread's processor time; of the clock, where the system does not count that. */
  deadlineMs: number;
  /** From {@link newRunTime}. */
  begun: Int32Array;
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
const thread = threadNumber();
let isNice = false;

/**
 * Share of its time that a thread must have had a processor for, so that a timeout is the pattern's fault. On a full machine
 * it gets a fiftieth, since programs in terminals come first.
 */
const BUSY_SHARE = 0.8;

/**
 * Returns the first match in the texts. V8 checks the deadline while it backtracks, so that this thread survives it.
 */
export function matchPattern({ pattern, texts, deadlineMs, begun }: PatternRequest): PatternResult {
  giveWay();
  beginRunTime(begun, thread);
  let leftMs = deadlineMs;
  try {
    context.pattern = compile(pattern);
    for (const text of texts) {
      context.text = text;
      const run = (timeout: number) => match.runInContext(context, { timeout }) as RegExpExecArray | null;
      const { result: found, tookMs } = runFor(leftMs, run, processorMs);
      if (found) return { kind: 'found', match: found[0] };
      leftMs -= tookMs;
    }
    return { kind: 'absent' };
  } catch (error) {
    if (!isError(error)) throw error;
    // Backtracking that uses up the stack is a RangeError.
    if (isTimeout(error) || error.name === 'RangeError') return { kind: 'too-slow' };
    // Includes patterns that are too large when compiled.
    return { kind: 'invalid', reason: error.message };
  } finally {
    context.text = '';
  }
}

/**
 * Runs `run` for up to `leftMs` by `now`, which counts processor time. V8 itself ends it by the clock: if it had no
 * processor for most of that time, it is run again, with twice the time. Throws what `run` throws.
 *
 * @returns the result, and the milliseconds that the last run took by `now`
 */
export function runFor<Result>(
  leftMs: number,
  run: (timeoutMs: number) => Result,
  now: () => number,
): { result: Result; tookMs: number } {
  const wantedMs = Math.max(1, Math.ceil(leftMs));
  for (let timeoutMs = wantedMs; ; timeoutMs *= 2) {
    const begin = now();
    try {
      const result = run(timeoutMs);
      return { result, tookMs: now() - begin };
    } catch (error) {
      if (!isError(error) || !isTimeout(error) || now() - begin >= BUSY_SHARE * wantedMs) throw error;
    }
  }
}

/**
 * Returns the milliseconds of processor time that this thread has used; by the clock if the system does not count them.
 */
function processorMs(): number {
  return (thread === undefined ? undefined : threadMs(thread)) ?? performance.now();
}

function isTimeout({ code }: { code?: unknown }): boolean {
  return code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
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
  if (isNice || thread === undefined) return;
  isNice = true;
  setPriority(thread, NICENESS);
}
