import type { Commands } from '../commands/commands.js';
import { type Printed, type Progress, printedBy } from './progress.js';
import { placeOf, type RunParts, type RunRequest } from './typed.js';

/**
 * Returns the ranges of output that belong to the run. A range that goes on ends at the present end of the output, so
 * that all readers get the same, and nothing that follows the command: the shard reports the end of a command before it
 * answers, also of a command that the run follows no longer.
 */
export async function printedByNow(
  parts: { screens: RunParts['screens']; commands: Pick<Commands, 'ofRun'> },
  { request, progress }: { request: Pick<RunRequest, 'id' | 'runId'>; progress: Progress },
  signal: AbortSignal,
): Promise<Printed[]> {
  const { id, runId } = request;
  if (printedBy(progress).every(({ end }) => end !== undefined)) return printedBy(progress);
  try {
    const { cursor } = await placeOf(parts, id, signal);
    const commands = parts.commands.ofRun(id, runId);
    const endOf = (range: Printed) =>
      commands.find(({ outputCursor }) => outputCursor.start === range.start)?.outputCursor.end ?? cursor;
    return printedBy(progress).map((range) => ({ start: range.start, end: range.end ?? endOf(range) }));
  } catch {
    // The reader of the range gets the error, too, and reports it.
    return printedBy(progress);
  }
}
