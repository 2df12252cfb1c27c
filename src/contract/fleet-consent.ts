import { z } from 'zod';

/** When a person has to approve the use of a grant: never, the first time, or each time. */
export const Ask = z.enum(['never', 'first', 'always']);
export type Ask = z.infer<typeof Ask>;

/** A request of another machine that waits until a person approves it. */
export const UseRequest = z
  .object({
    id: z.string(),
    machineId: z.string(),
    deviceName: z.string(),
    action: z.string().describe('Method and path, such as `POST /api/fleet/execute`'),
    terminalIds: z.array(z.string()).describe('The terminals that it names'),
    text: z
      .string()
      .nullable()
      .describe(
        'What the request asks for besides its terminals: its only field as text, or all fields as JSON. Of a long one the ' +
          'beginning, with the number of characters that follow',
      ),
    askedAt: z.number().describe('Epoch milliseconds'),
    expiresAt: z.number().describe('When it counts as denied, in epoch milliseconds'),
  })
  .meta({ id: 'UseRequest' });
export type UseRequest = z.infer<typeof UseRequest>;
