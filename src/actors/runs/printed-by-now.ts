import { type Printed, type Progress, printedBy } from './progress.js';
import { placeOf, type RunParts } from './typed.js';

/**
 * Returns the ranges of output that belong to the run. A range that goes on ends at the present end of the output, so
 * that all readers get the same.
 */
export async function printedByNow(
  parts: Pick<RunParts, 'screens'>,
  { id, progress }: { id: string; progress: Progress },
  signal: AbortSignal,
): Promise<Printed[]> {
  if (printedBy(progress).every(({ end }) => end !== undefined)) return printedBy(progress);
  try {
    const { cursor } = await placeOf(parts, id, signal);
    return printedBy(progress).map(({ start, end = cursor }) => ({ start, end }));
  } catch {
    // The reader of the range gets the error, too, and reports it.
    return printedBy(progress);
  }
}
