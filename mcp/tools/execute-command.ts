import { z } from 'zod';
import { ApiError, type GateOptions, NotFoundError } from '../../src/client/index.js';
import { BatchAnswer, builtInCliTypes, ExecuteAnswer, ExecuteBody } from '../../src/contract/execute.js';
import { FleetExecuteBody, FleetExecution } from '../../src/contract/fleet.js';
import {
  DEFAULT_QUEUE_MS,
  DEFAULT_TOOL_WAIT_MS,
  DEFAULT_WAIT_MS,
  MAX_BATCH_TERMINALS,
  MAX_TOOL_ANSWER_BYTES,
  MAX_TOOL_RESULT_BYTES,
  MAX_WAIT_MS,
  MIN_FLEET_TIMEOUT_MS,
  MIN_TOOL_RESULT_BYTES,
} from '../../src/contract/limits.js';
import { BatchRunAnswer, RunCommand } from '../../src/contract/run.js';
import { Terminal } from '../../src/contract/terminal.js';
import { terminalOf } from '../caller.js';
import { advised, ToolError } from '../errors.js';
import { answered } from '../service.js';
import { defineTool, type ToolContext } from '../tool.js';
import { anywhere } from './anywhere.js';
import { type Answer, everywhere } from './execute-elsewhere.js';
import { Execution } from './execution.js';
import { fleetText, typedText, waitedText } from './execution-text.js';
import { terminalFor } from './terminal-id.js';

const { targetOS, machineId, timeoutMs } = FleetExecuteBody.shape;
const { cliType, useBracketedPaste, whenBusy, queueMs, ifAgent, lease } = ExecuteBody.shape;
const cliTypes = Object.keys(builtInCliTypes(process.platform));

const KEY_WITH_WAIT =
  'must not have a control character that cannot be pasted; to press a key, pass terminalId, omit wait and set ' +
  'useBracketedPaste to false';

const fields = z.strictObject({
  command: z
    .string()
    .min(1)
    .describe('Shell command, prompt for an agent, or answer to a program; one line or several'),
  terminalId: z
    .union(
      [z.string(), z.array(z.string()).min(1).max(MAX_BATCH_TERMINALS)],
      'must be an id, or an array of ids',
    )
    .optional()
    .describe(
      'One terminal or several, by the ids that list_terminals gives; "me" is the terminal that you run ' +
        'in, where your own prompt would receive the command',
    ),
  wait: z
    .boolean()
    .default(false)
    .describe('Wait until a shell command ends, and return its exit code and output; default false'),
  cliType: z
    .enum(cliTypes)
    .default(cliType.parse(undefined))
    .describe(
      `The program that reads it: "default" is a shell, the others are coding agents; default ${cliType.parse(undefined)}. Ignored with wait`,
    ),
  useBracketedPaste: useBracketedPaste.describe(
    'false types the text without bracketed paste: for answers to programs that ask ("y"), for single ' +
      'keys ("\\u0003" is Ctrl+C, "\\u001b" is Esc), behind which Enter is pressed, too, and for shells such as sh; default true. Ignored with ' +
      'wait',
  ),
  targetOS: targetOS.describe('Without terminalId: run it on the only online machine with this system'),
  machineId: machineId.describe(
    'Without terminalId: run it on the machine with this id; "self" is the local machine',
  ),
  timeoutMs: z
    .number()
    .optional()
    .describe(
      `How long to wait, in milliseconds, clamped to ${MIN_FLEET_TIMEOUT_MS}..${MAX_WAIT_MS}; default ${DEFAULT_TOOL_WAIT_MS} with wait, ${DEFAULT_WAIT_MS} on a machine`,
    ),
  whenBusy: whenBusy.describe(
    'While a person types there or has a half-typed line, or another program types: "refuse" fails and says who is in ' +
      'the way, "queue" waits in line, "force" types all the same; by default, as the user has set it. The lease of ' +
      'another program is never passed',
  ),
  queueMs: queueMs.describe(
    `With whenBusy "queue": milliseconds to wait in line; default ${DEFAULT_QUEUE_MS}`,
  ),
  ifAgent: ifAgent.describe(
    'For prompts to a coding agent: types only if it has one of these statuses just before. ["idle"] never presses ' +
      'Enter into a question of the agent',
  ),
  lease: lease.describe(
    'leaseId under which to type, from whoever has taken the lease for you; fails if the lease has ended',
  ),
});
type Input = z.output<typeof fields>;

/** A command that is waited for must be one; whatever else is typed may be a key, such as Ctrl+C. */
const input = fields.refine(
  ({ command, wait, terminalId }) =>
    (!wait && terminalId !== undefined) || RunCommand.safeParse(command).success,
  { path: ['command'], message: KEY_WITH_WAIT },
);

const NO_TARGET =
  'Say where to run it: pass terminalId (list_terminals shows the terminals, create_terminal makes a new ' +
  'terminal), or machineId "self" to run it in a fresh terminal that is closed afterwards.';

export const executeCommand = defineTool({
  name: 'execute_command',
  title: 'Run a command',
  description:
    'Types a command into a terminal and submits it. With wait: true it waits until the command ends, and returns exitCode ' +
    'and output (`raw`): the best way to run a shell command. Without wait it returns at once, and get_terminal_output reads ' +
    'the result: for prompts to agents (choose the agent by cliType) and for programs that do not end. An array of ' +
    'terminalIds (repeated ids count once) runs it in all at the same time, with a result for each. done: false after ' +
    'timeoutMs means that the command continues. Of long output, the end is kept (truncated): ' +
    `${MAX_TOOL_RESULT_BYTES / 1024} KiB, less with more terminals. With machineId or targetOS instead of terminalId, it runs in a ` +
    'fresh terminal and is waited for, and `screen` shows the result. terminalId takes precedence over both.',
  verbs: ['type', 'run'],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  input,
  output: Execution,
  run: async (args, context) => {
    const { terminalId } = args;
    if (terminalId === undefined) return inFleet(args, context);
    if (Array.isArray(terminalId)) {
      const ids = [...new Set(terminalId.map((id) => terminalOf(id, context)))];
      return everywhere(ids, context, {
        isWaited: args.wait,
        run: (some, where) =>
          args.wait ? waitFor(some, args, where, ids.length) : typeIntoAll(some, args, where),
      });
    }
    try {
      return await anywhere(terminalId, context, (where) => inOne(terminalId, args, where));
    } catch (error) {
      throw (await hasExited(terminalId, error, context)) ?? error;
    }
  },
});

/** Runs the command in a terminal of the machine of `context`. */
function inOne(terminalId: string, args: Input, context: ToolContext): Promise<Answer> {
  return (args.wait ? waitForOne : typeInto)(terminalId, args, context);
}

async function typeInto(terminalId: string, args: Input, context: ToolContext): Promise<Answer> {
  const terminal = terminalFor(terminalId, context);
  await answered(ExecuteAnswer, terminal.prompt(args.command, promptOptions(args, context)));
  const structured = { results: [{ terminalId: terminal.id, success: true }] };
  return { structured, text: typedText(structured) };
}

async function typeIntoAll(terminalIds: string[], args: Input, context: ToolContext): Promise<Answer> {
  const all = context.service.select(terminalIds);
  const structured = await answered(BatchAnswer, all.prompt(args.command, promptOptions(args, context)));
  return { structured, text: typedText(structured) };
}

/** Returns the error for a terminal whose program has ended, while the terminal is kept; else undefined. */
async function hasExited(
  terminalId: string,
  error: unknown,
  context: ToolContext,
): Promise<ToolError | undefined> {
  const isFailure = error instanceof ApiError || error instanceof ToolError;
  if (!isFailure || error.code !== 'terminal-not-found') return undefined;
  const terminal = terminalFor(terminalId, context);
  try {
    const info = await answered(Terminal, terminal.info({ signal: context.signal }));
    if (info.status !== 'exited') return undefined;
    const { signal, exitCode, reason = 'unknown' } = info;
    const ended =
      exitCode == null ? `ended, nobody knows how (${reason})` : `ended with exit code ${exitCode}`;
    const how = signal ? `was ended by ${signal}` : ended;
    return new ToolError(
      `The program of this terminal ${how}: no command can be run in it. Its output can be read for some minutes ` +
        'with get_terminal_output; create_terminal makes a new terminal.',
    );
  } catch (missing) {
    if (missing instanceof NotFoundError) return undefined;
    throw missing;
  }
}

function promptOptions({ cliType, useBracketedPaste, ...args }: Input, { signal }: ToolContext) {
  return { cliType, useBracketedPaste, signal, ...wishIn(args) };
}

/** Returns the arguments for the input gate, which decide when the call may type. */
function wishIn({ whenBusy, queueMs, ifAgent, lease }: Partial<Input>): GateOptions {
  return { whenBusy, queueMs, ifAgent, lease };
}

/** @param sharers - number of terminals whose output is in the answer of the call */
async function waitFor(
  terminalIds: string[],
  args: Input,
  { service, signal }: ToolContext,
  sharers = terminalIds.length,
): Promise<Answer> {
  const share = Math.floor(MAX_TOOL_ANSWER_BYTES / sharers);
  const running = service.select(terminalIds).run(args.command, {
    ...wishIn(args),
    // A client that cancels a call does not expect its command to be typed afterwards.
    whenLeft: 'drop',
    signal,
    timeoutMs: timeoutMs.parse(args.timeoutMs ?? DEFAULT_TOOL_WAIT_MS),
    maxBytes: Math.min(MAX_TOOL_RESULT_BYTES, Math.max(MIN_TOOL_RESULT_BYTES, share)),
  });
  const structured = await answered(BatchRunAnswer, running);
  return { structured, text: waitedText(structured) };
}

/** Runs a command in one terminal. If the run failed, throws a ToolError that includes the command's output. */
async function waitForOne(terminalId: string, args: Input, context: ToolContext): Promise<Answer> {
  const { id } = terminalFor(terminalId, context);
  const answer = await waitFor([id], args, context);
  for (const { error, code, raw, ...blame } of answer.structured.results) {
    if (error === undefined) continue;
    throw new ToolError(
      [advised({ error, code, blame }), ...(raw ? [`It printed:\n${raw}`] : [])].join('\n'),
      {
        code,
      },
    );
  }
  return answer;
}

async function inFleet(args: Input, { service, signal }: ToolContext): Promise<Answer> {
  const { command, machineId, targetOS, timeoutMs } = args;
  if (machineId === undefined && targetOS === undefined) throw new ToolError(NO_TARGET);
  const asked = { command, machineId, targetOS, timeoutMs, ...wishIn(args) };
  const running = service.fleet.execute({ ...asked, signal });
  const { runId, ...execution } = await answered(FleetExecution, running);
  const result = { ...execution, success: true };
  return { structured: { results: [result], runId }, text: fleetText(result) };
}
