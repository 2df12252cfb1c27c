import pLimit from 'p-limit';
import { z } from 'zod';
import { ApiError } from '../../src/client/index.js';
import { MachineList } from '../../src/contract/fleet.js';
import { Terminal } from '../../src/contract/terminal.js';
import { ToolError } from '../errors.js';
import { answered } from '../service.js';
import type { ToolContext } from '../tool.js';
import { machineOf, onMachine } from './anywhere.js';
import { type Execution, ExecutionResult } from './execution.js';
import { typedText, waitedText } from './execution-text.js';

/** The answer of `execute_command`. */
export interface Answer {
  structured: Execution;
  text: string;
}

/** Runs a command in terminals of the machine of `context`. */
type Run = (ids: string[], context: ToolContext) => Promise<Answer>;

/** Terminals of one machine: of this machine without a `machineId`. */
interface Place {
  machineId: string | undefined;
  ids: string[];
}

/** Fields of a refusal that say who is in the way. */
const InTheWay = ExecutionResult.pick({ holder: true, draft: true, retryAfterMs: true });

/** Most terminals that are looked up at once. */
const AT_ONCE = 32;

/**
 * Runs a command in terminals of any machine of the fleet, at the same time on all of them, by a call of `run` for each.
 * Rejects as `run` does if all of them are here. Otherwise a machine that fails gives the failure as its terminals' result.
 */
export async function everywhere(
  ids: string[],
  context: ToolContext,
  { isWaited, run }: { isWaited: boolean; run: Run },
): Promise<Answer> {
  const { placed, failed } = await placesOf(ids, context);
  const [only] = placed;
  const isAllHere = placed.length === 1 && failed.size === 0 && only?.machineId === undefined;
  if (isAllHere) return run(ids, context);
  const answers = await Promise.all(placed.map((place) => answerOf(place, context, run)));
  const results = new Map(answers.flatMap((answer) => answer.results).map((each) => [each.terminalId, each]));
  const all = ids.flatMap((id) => results.get(id) ?? failed.get(id) ?? []);
  const own = answers[placed.findIndex(({ machineId }) => machineId === undefined)];
  const structured: Execution = {
    results: all,
    summary: summaryOf(all, isWaited),
    // The run of another machine has no id here.
    ...(own?.runId !== undefined && { runId: own.runId }),
  };
  return { structured, text: isWaited ? waitedText(structured) : typedText(structured) };
}

/**
 * Resolves with the machines of the terminals, and with a failure for each terminal whose machine could not be found.
 */
async function placesOf(
  ids: string[],
  context: ToolContext,
): Promise<{ placed: Place[]; failed: ReadonlyMap<string, ExecutionResult> }> {
  const here: Place = { machineId: undefined, ids: [] };
  const failed = new Map<string, ExecutionResult>();
  if (!(await hasOthers(context))) return { placed: [{ ...here, ids }], failed };
  const known = await knownHere(ids, context);
  const limit = pLimit(AT_ONCE);
  const machines = await Promise.all(
    ids.map((id) =>
      known.has(id)
        ? undefined
        : limit(() => machineOf(id, context)).catch((error: unknown) => {
            failed.set(id, failureOf(id, error));
          }),
    ),
  );
  const places = new Map<string | undefined, Place>();
  for (const [index, id] of ids.entries()) {
    if (failed.has(id)) continue;
    const machineId = machines[index] ?? undefined;
    const place = places.get(machineId) ?? { machineId, ids: [] };
    place.ids.push(id);
    places.set(machineId, place);
  }
  return { placed: [...places.values()], failed };
}

/** Resolves with whether this machine is in a fleet with others, as far as the caller's token may know. */
async function hasOthers({ service, signal }: ToolContext): Promise<boolean> {
  try {
    return (await answered(MachineList.shape.machines, service.fleet.machines({ signal }))).length > 1;
  } catch (error) {
    // A token that may not list machines may not run commands on them either.
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}

/** Resolves with terminals of this machine, so that not each of many has to be looked up. */
async function knownHere(ids: string[], { service, signal }: ToolContext): Promise<ReadonlySet<string>> {
  if (ids.length <= AT_ONCE) return new Set();
  const listed = await answered(z.array(Terminal.pick({ id: true })), service.terminals.list({ signal }));
  return new Set(listed.map(({ id }) => id));
}

async function answerOf(place: Place, context: ToolContext, run: Run): Promise<Execution> {
  try {
    return (await run(place.ids, contextOf(place, context))).structured;
  } catch (error) {
    return { results: place.ids.map((id) => failureOf(id, error)) };
  }
}

function contextOf({ machineId }: Place, context: ToolContext): ToolContext {
  return machineId === undefined ? context : onMachine(context, machineId);
}

/** Returns a refusal by a machine or by the service as the result of a terminal. Throws any other error: it fails the whole call. */
function failureOf(terminalId: string, error: unknown): ExecutionResult {
  if (!(error instanceof ApiError || error instanceof ToolError)) throw error;
  const { message, code } = error;
  const way = error instanceof ApiError ? InTheWay.safeParse(error.details).data : undefined;
  return { terminalId, success: false, error: message, ...(code !== undefined && { code }), ...way };
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
