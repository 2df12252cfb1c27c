import { z } from 'zod';
import { TERMINAL_HEADER } from './headers.js';

/** Headers of `GET /api/caller`. */
export const CallerHeaders = z.looseObject({
  [TERMINAL_HEADER]: z
    .string()
    .optional()
    .describe('Terminal that the caller runs in: the value of SERVICE_TERMINAL_ID there'),
});

/** Answer of `GET /api/caller`. */
export const Caller = z
  .object({
    terminalId: z.string().nullable().describe('Running terminal that the caller runs in; null if unknown'),
    pid: z
      .int()
      .nullable()
      .describe('Process that opened the connection, if it is one of the unix socket; null if unknown'),
    verified: z.boolean().describe('Whether the kernel knows the process, and this process runs there'),
    via: z
      .enum(['header', 'socket', 'none'])
      .describe(
        'How the terminal is known: by the header `x-service-terminal-id`, by the process at the other end ' +
          'of the unix socket, or not at all',
      ),
  })
  .meta({ id: 'Caller' });
export type Caller = z.infer<typeof Caller>;
