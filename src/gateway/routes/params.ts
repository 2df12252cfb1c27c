import { z } from 'zod';

/** Path parameters of a route under one resource. Any text is an id that may not exist, so none is refused here. */
export const IdParams = z.object({ id: z.string() });

/** Path parameters of a route under a queued prompt of a terminal. */
export const PromptParams = z.object({ id: z.string(), promptId: z.string() });

/** Path parameters of a route under a machine. */
export const MachineParams = z.object({ machineId: z.string() });

const MAX_DIGITS = 15;

/** A count in a query string: digits only, and few enough for an exact number. */
export const Count = z
  .string()
  .regex(new RegExp(`^\\d{1,${MAX_DIGITS}}$`), 'must be a whole number, 0 or more')
  .transform(Number)
  .meta({ parameter: { type: 'integer', minimum: 0, maximum: 10 ** MAX_DIGITS - 1 } });

/** A {@link Count} from `least` to `most`. */
export function countBetween(least: number, most: number) {
  return Count.refine((count) => count >= least && count <= most, `must be ${least} to ${most}`).meta({
    parameter: { type: 'integer', minimum: least, maximum: most },
  });
}
