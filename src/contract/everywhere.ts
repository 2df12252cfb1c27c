import { z } from 'zod';

/** Field of a request whose `selector` means the terminals of all machines of the fleet. */
export const machinesField = {
  machines: z
    .literal('all')
    .optional()
    .describe('With `selector`: selects on all machines of the fleet, as far as each lets this one'),
};

/** Returns whether a body with {@link machinesField} names its terminals by their labels. */
export function hasSelector({
  machines,
  selector,
}: {
  machines?: 'all' | undefined;
  selector?: unknown;
}): boolean {
  return machines === undefined || selector !== undefined;
}

/** Error for a client whose request {@link hasSelector} rejects. */
export const machinesError = { path: ['machines'], message: 'needs a selector' };

/** Another machine that a request was for. */
export const MachinePart = z.object({
  machineId: z.string(),
  deviceName: z.string(),
  runId: z
    .string()
    .optional()
    .describe('Of a run: its id there, for `GET /api/machines/{machineId}/runs/{runId}`'),
  code: z
    .string()
    .optional()
    .describe('Why nothing is known of its terminals: the code of an error, such as `machine-unreachable`'),
  terminalIds: z
    .array(z.string())
    .optional()
    .describe('With `code`: the terminals there that the request had selected before it failed'),
});
export type MachinePart = z.infer<typeof MachinePart>;

/** Field of an answer about several machines. */
export const partsField = {
  machines: z.array(MachinePart).optional().describe('With `machines: "all"`: the other machines'),
};
