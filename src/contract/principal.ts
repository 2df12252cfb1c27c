import { z } from 'zod';

/** Sender of a request, or writer of input. */
export const Principal = z
  .object({
    kind: z
      .enum(['user', 'agent', 'service', 'mcp', 'fleet'])
      .describe(
        '`user`: a person; `agent`: a program in a terminal of this service; `mcp`: a client of the MCP server; ' +
          '`fleet`: a run of the fleet, or another machine of it; `service`: any other client of the API',
      ),
    name: z.string().optional().describe('Name of its terminal, if it runs in one'),
    terminalId: z.string().optional().describe('The terminal that it runs in, if known'),
    token: z
      .object({ id: z.string(), name: z.string() })
      .optional()
      .describe('The token that it has shown, in guarded mode'),
    machineId: z.string().optional().describe('The machine of the fleet that the request comes from'),
    pid: z.int().optional().describe('Its process, if it has connected by the unix socket'),
    verified: z.boolean().describe('Whether the kernel knows that it runs there; else it says so itself'),
  })
  .meta({ id: 'Principal' });
export type Principal = z.infer<typeof Principal>;
