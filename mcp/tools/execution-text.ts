import { randomBytes } from 'node:crypto';
import { advised } from '../errors.js';
import type { Execution, ExecutionResult } from './execution.js';

/** Returns the text for commands that were typed and not waited for. */
export function typedText({ results }: Execution): string {
  const typed = results.filter(({ success }) => success).length;
  const lines = results.map((result) => `${result.terminalId}  ${fate(result, 'typed')}`);
  const next = 'Read the result with get_terminal_output.';
  return [...lines, `[typed into ${typed} of ${results.length}. ${next}]`].join('\n');
}

/** Returns the text for commands that were waited for: per terminal a line with the result, and the output. */
export function waitedText({ results, summary }: Execution): string {
  // The mark is random, so that no program can print a line that passes for another terminal's result.
  const mark = results.length > 1 ? `#${randomBytes(3).toString('hex')} ` : '';
  const parts = results.map((result) =>
    withOutput(`[${mark}${result.terminalId}: ${outcome(result)}]`, result.raw),
  );
  if (results.length > 1 && summary) parts.push(`[${mark}in all: ${countsOf(summary)}]`);
  return parts.join('\n');
}

/** Returns the text for a command that a machine of the fleet ran in a terminal that it chose. */
export function fleetText(result: ExecutionResult): string {
  const where = `${result.terminalId} on ${result.deviceName} (${result.machineId})`;
  const after = result.done
    ? 'this terminal was made for the command, and is closed'
    : 'its terminal stays open: close_terminal closes it';
  return withOutput(`[${where}: ${outcome(result)}; ${after}]`, result.screen);
}

function fate({ error, code, ...blame }: ExecutionResult, otherwise: string): string {
  return error === undefined ? otherwise : `failed: ${advised({ error, code, blame })}`;
}

function outcome(result: ExecutionResult): string {
  const { done, exitCode, durationMs, truncated } = result;
  const exit = exitCode == null ? 'ended, its exit code is unknown' : `exit code ${exitCode}`;
  const ended = durationMs == null ? exit : `${exit}, took ${Math.round(durationMs)} ms`;
  const goesOn =
    'not done in this time, so it continues; read on with get_terminal_output, or check with ' +
    'get_terminal_screen whether it asks for something';
  const cut = truncated ? '; the beginning of its output is left out' : '';
  return `${fate(result, done ? ended : goesOn)}${cut}`;
}

function withOutput(head: string, output = ''): string {
  return output === '' ? head : `${head}\n${output.replace(/\n$/, '')}`;
}

function countsOf({ total, failed, zero, nonZero, done }: NonNullable<Execution['summary']>): string {
  return `${total} terminals; ${done} done, ${zero} with exit code 0, ${nonZero} with another; ${failed} failed`;
}
