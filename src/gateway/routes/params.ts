import { z } from 'zod';

/** Path of a route under one terminal. Any text is an id that may not exist, so nothing is refused here. */
export const TerminalParams = z.object({ id: z.string() });

const MAX_DIGITS = 15;

/** A count in a query string: digits only, and few enough to stay an exact number. */
export const Count = z
  .string()
  .regex(new RegExp(`^\\d{1,${MAX_DIGITS}}$`), 'must be a whole number, 0 or more')
  .transform(Number)
  .meta({ parameter: { type: 'integer', minimum: 0, maximum: 10 ** MAX_DIGITS - 1 } });

/** Path of a route under one resource of another kind; as with terminals, any text may be an id. */
export const ResourceParams = z.object({ id: z.string() });
