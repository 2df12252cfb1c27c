import pLimit from 'p-limit';
import { ApiError } from '../../src/client/index.js';
import { ToolError } from '../errors.js';
import type { ToolContext } from '../tool.js';
import { elsewhere } from './anywhere.js';
import { type Execution, ExecutionResult } from './execution.js';
import { typedText, waitedText } from './execution-text.js';

/** The answer of `execute_command`. */
export interface Answer {
  structured: Execution;
  text: string;
}

/** Fields of a refusal that say who is in the way. */
const InTheWay = ExecutionResult.pick({ holder: true, draft: true, retryAfterMs: true });

/** Most terminals of other machines that are looked up and run in concurrently. */
const AT_ONCE = 32;

/** Runs the command, by `run`, also in the terminals of an answer that another machine has and this machine does not. */
export async function alsoElsewhere(
  answer: Answer,
  context: ToolContext,
  run: (id: string, there: ToolContext) => Promise<Answer>,
): Promise<Answer> {
  const { results, summary, ...rest } = answer.structured;
  if (!results.some(({ code }) => code === 'terminal-not-found')) return answer;
  const limit = pLimit(AT_ONCE);
  const all = await Promise.all(results.map((result) => limit(() => resultAnywhere(result, context, run))));
  if (all.every((result, index) => result === results[index])) return answer;
  const isWaited = summary?.done !== undefined;
  const structured = { ...rest, results: all, summary: summaryOf(all, isWaited) };
  return { structured, text: isWaited ? waitedText(structured) : typedText(structured) };
}

async function resultAnywhere(
  result: ExecutionResult,
  context: ToolContext,
  run: (id: string, there: ToolContext) => Promise<Answer>,
): Promise<ExecutionResult> {
  if (result.code !== 'terminal-not-found') return result;
  const { terminalId } = result;
  try {
    const there = await elsewhere(terminalId, context);
    const ran = there && (await run(terminalId, there));
    return ran?.structured.results[0] ?? result;
  } catch (error) {
    // A refusal by the machine or the service is the result of this one terminal. Any other error fails the whole call.
    if (!(error instanceof ApiError || error instanceof ToolError)) throw error;
    const { message, code } = error;
    const way = error instanceof ApiError ? InTheWay.safeParse(error.details).data : undefined;
    return { terminalId, success: false, error: message, ...(code !== undefined && { code }), ...way };
  }
}

function summaryOf(
  results: readonly ExecutionResult[],
  isWaited: boolean,
): NonNullable<Execution['summary']> {
  const count = (holds: (result: ExecutionResult) => boolean) => results.filter(holds).length;
  const succeeded = count(({ success }) => success);
  const counts = { total: results.length, succeeded, failed: results.length - succeeded };
  if (!isWaited) return counts;
  return {
    ...counts,
    done: count(({ done = false }) => done),
    zero: count(({ done = false, exitCode }) => done && exitCode === 0),
    nonZero: count(({ done = false, exitCode }) => done && typeof exitCode === 'number' && exitCode !== 0),
  };
}
