import { z } from 'zod';

/** Body of `POST /session`. */
export const SessionBody = z.object({
  token: z
    .string()
    .max(1_000)
    .optional()
    .describe('The setting `network.authToken`; not needed unless exposed'),
});

/** Answer of `GET /session`. */
export const SessionAnswer = z.object({
  needed: z.boolean().describe('Whether the dashboard needs a session: while the service is exposed'),
  active: z.boolean().describe('Whether the cookie of the request is that of a session'),
});
export type SessionAnswer = z.infer<typeof SessionAnswer>;
