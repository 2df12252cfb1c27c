import { type Printed, type Progress, printedBy } from './progress.js';
import { placeOf, type RunParts } from './typed.js';

/**
 * Returns the ranges of output that belong to the run. A range that goes on ends at the present end of the output, so
 * that all readers get the same, and nothing that follows the command: the shard reports the end of a command before it
 * answers, also of a command that the run follows no longer.
 */
export async function printedByNow(
  parts: Pick<RunParts, 'screens' | 'commands'>,
  { id, progress }: { id: string; progress: Progress },
  signal: AbortSignal,
): Promise<Printed[]> {
  if (printedBy(progress).every(({ end }) => end !== undefined)) return printedBy(progress);
  try {
    const { cursor } = await placeOf(parts, id, signal);
    const ends = progress.commands().map((command) => {
      const now = parts.commands.find(id, command.id);
      return [command.outputCursor.start, now?.outputCursor.end ?? cursor] as const;
    });
    const endOf = new Map(ends);
    return printedBy(progress).map(({ start, end = endOf.get(start) ?? cursor }) => ({ start, end }));
  } catch {
    // The reader of the range gets the error, too, and reports it.
    return printedBy(progress);
  }
}
