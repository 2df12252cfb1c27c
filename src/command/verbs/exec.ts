import { constants } from 'node:os';
import type { Command } from 'commander';
import {
  AutoTerminalError,
  inTheWay,
  type RunHandle,
  type RunResult,
  type Terminal,
} from '../../client/index.js';
import { adviceOn } from '../advice.js';
import type { CommonOptions, Context } from '../context.js';
import { CommandError, EXIT, shellCode } from '../exit-codes.js';
import { type GateFlags, wishOf, withGate } from '../gate-options.js';
import { lostBegin, lostEnd } from '../lost-end.js';
import { MISSING_OUTPUT } from '../missing-output.js';
import { shellLine } from '../shell-line.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { commandAfter, msOf, verb, waitSeconds } from '../verb.js';

type Options = CommonOptions & GateFlags & { timeout?: number; detach?: boolean };

const DEFAULT_TIMEOUT_S = 3_600;

/** Longest time that an interrupt waits for the service's answer about the command. */
const LEAVING_MS = 2_000;

/** `auto-terminal exec TARGET -- command`: runs a command in the shell of a terminal, and ends as it does. */
export function exec(context: Context): Command {
  return withGate(verb('exec', 'Run a command in the shell of a terminal: its output, and its exit code'))
    .argument('<target>', TARGET_HELP)
    .argument('<command...>', 'one shell command line, or words that are quoted for the shell')
    .option('-t, --timeout <seconds>', 'how long to wait for its end', waitSeconds)
    .option('-d, --detach', 'print the id of the run, and do not wait')
    .passThroughOptions()
    .action(async (target: string, words: string[], options: Options) => {
      const line = shellLine(
        commandAfter(words, (option) => `auto-terminal exec ${option} ... ${target} -- COMMAND`),
      );
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target, { mustRun: true });
      const timeoutMs = msOf(options.timeout ?? DEFAULT_TIMEOUT_S);
      const call = { timeoutMs, signal: context.signal, ...wishOf(options) };
      const run = await client
        .select([id])
        .start(line, call)
        .catch((error: unknown) => {
          throw lostBegin(error);
        });
      const follow = `auto-terminal logs -f ${id}`;
      const lost = (error: unknown) =>
        lostEnd(error, `It may go on in ${id}, as run ${run.runId}; to follow it: ${follow}`);
      if (options.detach) {
        await context.write(`${run.runId}\n`);
        const { state, results } = await run.get({ signal: context.signal }).catch((error: unknown) => {
          throw lost(error);
        });
        const [refused] = state === 'running' ? [] : results.filter(({ success }) => !success);
        if (refused) sayUnknown(context, refused);
        return;
      }
      context.leave = async () =>
        context.say(
          (await isWithdrawn(run))
            ? 'auto-terminal: the command still waited for the shell, and is not typed'
            : `auto-terminal: the command goes on; to interrupt it: auto-terminal signal ${id} INT`,
        );
      const result = await printed(context, run).catch(async (error: unknown) => {
        if (context.signal.aborted) await context.leave?.();
        throw lost(error);
      });
      context.leave = () => undefined;
      if (result.exitCode !== null) {
        context.exitCode = result.exitCode;
        return;
      }
      const ended = await codeOfShell(context, client.terminals.get(id), result);
      if (ended !== undefined) {
        context.exitCode = ended;
        return;
      }
      if (result.success && !result.done) {
        context.say('auto-terminal: the command has not ended in time, and goes on');
        context.exitCode = EXIT.timedOut;
        return;
      }
      sayUnknown(context, result);
    });
}

/** Says why the exit code of a command is not known, which sets that of this command. */
function sayUnknown(context: Context, result: RunResult): void {
  context.say(`auto-terminal: ${whyUnknown(result)}`);
  const blame = inTheWay(result);
  if (blame !== undefined) context.say(blame);
  const fix = result.code === undefined ? undefined : adviceOn({ code: result.code });
  if (fix !== undefined) context.say(fix);
  const isAbsent = result.code === 'terminal-not-found' && !hasLostTerminal(result);
  context.exitCode = isAbsent ? EXIT.notFound : EXIT.ownFailure;
}

/** Cancels a run whose command still waits, which would be typed unnoticed; returns whether it was not typed. */
async function isWithdrawn(run: RunHandle): Promise<boolean> {
  const signal = AbortSignal.timeout(LEAVING_MS);
  try {
    const [waiting] = (await run.get({ signal })).results;
    if (waiting?.code !== 'not-typed-yet') return false;
    const [cancelled] = (await run.cancel({ signal })).results;
    return cancelled?.code === 'run-cancelled';
  } catch (error) {
    if (error instanceof AutoTerminalError || signal.aborted) return false;
    throw error;
  }
}

/** Whether the terminal has gone once the command had been typed: its exit code must not be taken for that of a wrong target. */
function hasLostTerminal({ code, reason }: RunResult): boolean {
  return code === 'terminal-not-found' && reason !== 'not-typed';
}

function whyUnknown(result: RunResult): string {
  if (hasLostTerminal(result)) return 'the terminal has gone; how the command has ended is not known';
  return result.error ?? `its exit code is unknown (${result.reason ?? 'untold'})`;
}

/** Resolves with the exit code for the signal that has ended the shell, and the command with it; undefined if none has. */
async function codeOfShell(
  { signal: ending }: Context,
  terminal: Terminal,
  { success, done }: RunResult,
): Promise<number | undefined> {
  if (!success || !done) return undefined;
  // A terminal that is gone has no information.
  const info = await terminal.info({ signal: ending }).catch(() => undefined);
  if (!info?.signal) return undefined;
  return shellCode(null, info.signal, constants.signals);
}

/** Writes the output as it comes; resolves with the result. */
async function printed(context: Context, run: RunHandle): Promise<RunResult> {
  for await (const event of run.stream({ signal: context.signal })) {
    if (event.type === 'output') await context.write(event.text);
    if (event.type === 'gap') context.say(`auto-terminal: ${MISSING_OUTPUT}`);
    if (event.type === 'result') return event;
  }
  throw new CommandError(EXIT.ownFailure, 'unknown-exit', 'The run ended without a result');
}
