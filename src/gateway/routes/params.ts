import { z } from 'zod';

/** Path of a route under one terminal. Any text is an id that may not exist, so nothing is refused here. */
export const TerminalParams = z.object({ id: z.string() });
