import type { Logger } from 'pino';
import { DomainError } from '../../contract/errors.js';
import { refusalIn } from '../../contract/input-gate.js';
import type { RunResult, RunSummary } from '../../contract/run.js';
import type { Commands } from '../commands/commands.js';
import { isGone } from '../screens.js';
import type { AnswerBytes, PrintedText } from './answer-bytes.js';
import type { KeptPart } from './kept-run.js';
import { durationOf, exitCodeOf, isRefused, type Printed, type Progress, reasonOf } from './progress.js';

type Failure = Required<Pick<RunResult, 'error' | 'code'>> &
  Pick<RunResult, 'holder' | 'draft' | 'retryAfterMs'>;

const REFUSED: Failure = { error: 'The shell did not run the command', code: 'command-refused' };
const INTERNAL: Failure = { error: 'Internal error', code: 'internal' };

/** Reasons why nothing was typed although nothing has failed, by the state of the part. */
const UNTYPED: Readonly<Record<PartState, Failure>> = {
  'under way': { error: 'Not typed yet: the terminal is busy, or not ready', code: 'not-typed-yet' },
  over: {
    error: 'Not typed: the terminal was busy, or not ready, until the run was over',
    code: 'not-typed',
  },
  cancelled: { error: 'Not typed: the run was cancelled', code: 'run-cancelled' },
};

/** State of a part that has not failed. */
export type PartState = 'under way' | 'over' | 'cancelled';

export interface ResultParts {
  commands: Pick<Commands, 'shellStatus'>;
  logger: Pick<Logger, 'error'>;
}

/** Returns the outcome so far of a command in one terminal. */
export async function resultOf(
  parts: ResultParts,
  { id, progress, printed }: { id: string; progress: Progress; printed: readonly Printed[] },
  { partState, fault: earlier }: { partState: PartState; fault?: unknown },
  { bytes, maxBytes, signal }: { bytes: AnswerBytes; maxBytes: number; signal: AbortSignal },
): Promise<Pick<KeptPart, 'result' | 'fault'>> {
  let fault = earlier;
  let output: PrintedText = { text: '', truncated: false };
  try {
    output = await bytes.read(id, printed, maxBytes, signal);
  } catch (error) {
    // The terminal was closed after the command had ended: the end is known, the output is lost.
    if (progress.isDone && isGone(error)) output = { text: '', truncated: true };
    else fault ??= error;
  }
  const isTaken = progress.isTyped && !isRefused(progress);
  const isKnown = fault === undefined && isTaken;
  const reason = isUntold(fault, progress) ? 'untold' : reasonOf(progress);
  const result: RunResult = {
    terminalId: id,
    success: isKnown,
    done: progress.isDone,
    exitCode: exitCodeOf(progress),
    ...(reason && { reason }),
    durationMs: durationOf(progress),
    raw: output.text,
    truncated: output.truncated || progress.isCut(),
    integration: integrationOf(parts, id),
    waitedBy: progress.waitedBy,
    ...(isKnown ? {} : failureOf(parts, id, progress, partState, fault)),
  };
  return { result, fault: faultOf(fault) };
}

/** Counts the outcomes of a command in all terminals. */
export function summaryOf(results: readonly RunResult[]): RunSummary {
  const count = (holds: (result: RunResult) => boolean) => results.filter(holds).length;
  const total = results.length;
  const succeeded = count(({ success }) => success);
  return {
    total,
    succeeded,
    failed: total - succeeded,
    done: count(({ done }) => done),
    zero: count(({ done, exitCode }) => done && exitCode === 0),
    nonZero: count(({ done, exitCode }) => done && exitCode !== null && exitCode !== 0),
  };
}

/**
 * Returns whether nothing is known but the fault: whether the command was typed, or how it has ended where its terminal
 * is gone, as with a killed pty host. A command that has been typed there no longer runs.
 */
function isUntold(fault: unknown, progress: Progress): boolean {
  if (progress.isTyped) return isGone(fault) && reasonOf(progress) === 'running';
  return fault instanceof DomainError && fault.code === 'outcome-unknown';
}

function integrationOf({ commands }: ResultParts, id: string): RunResult['integration'] {
  try {
    return commands.shellStatus(id).integration;
  } catch (error) {
    if (!isGone(error)) throw error;
    return 'none';
  }
}

function failureOf(
  { logger }: ResultParts,
  id: string,
  progress: Progress,
  partState: PartState,
  fault: unknown,
): Failure {
  if (fault instanceof DomainError) {
    const { message: error, code, details } = fault;
    return { error, code, ...refusalIn(code, details) };
  }
  if (fault !== undefined) {
    logger.error({ err: fault, terminal: id }, 'a command could not be run');
    return INTERNAL;
  }
  return isRefused(progress) ? REFUSED : UNTYPED[partState];
}

function faultOf(fault: unknown): KeptPart['fault'] {
  if (fault === undefined) return null;
  return fault instanceof DomainError
    ? { code: fault.code, message: fault.message }
    : { code: 'internal', message: INTERNAL.error };
}
