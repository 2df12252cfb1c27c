import { z } from 'zod';

/** Shells with shell integration, by the name of their program. */
export const ShellKind = z.enum(['bash', 'zsh', 'fish', 'pwsh']);
export type ShellKind = z.infer<typeof ShellKind>;

/** The shell whose marks report what runs in a terminal; `none` without such marks. */
export const Integration = z
  .enum([...ShellKind.options, 'none'])
  .describe('The shell whose prompts and commands are tracked; `none` where they cannot be');
export type Integration = z.infer<typeof Integration>;

/** Why an exit code is null. */
export const ExitCodeReason = z
  .enum([
    'running',
    'not-typed',
    'refused',
    'incomplete',
    'nothing-ran',
    'untold',
    'unidentified',
    'restarted',
  ])
  .describe(
    '`running`: it has not ended. `not-typed`: it was not typed. `refused`: the shell did not run it. `incomplete`: the shell wanted more of it. `nothing-ran`: a blank line, a comment, or a line that ran nothing. `untold`: nothing reported its end. `unidentified`: other commands ran meanwhile, and none could be told to be this one. `restarted`: its end fell into a restart of the service',
  );
export type ExitCodeReason = z.infer<typeof ExitCodeReason>;

/** One command that a shell ran. */
export const Command = z
  .object({
    id: z.string().describe('Within its terminal'),
    commandLine: z.string(),
    cwd: z.string().nullable().describe('Where it was started'),
    startedAt: z.number().describe('Epoch milliseconds'),
    endedAt: z.number().nullable().describe('Epoch milliseconds; null while it runs'),
    durationMs: z.number().nullable().describe('null while it runs'),
    runId: z.string().optional().describe('The run whose line it is; absent for what was typed otherwise'),
    exitCode: z
      .int()
      .nullable()
      .describe('null while it runs, and for one whose end nobody told, such as `exec`'),
    outputCursor: z
      .object({ start: z.string(), end: z.string().nullable() })
      .describe('Opaque, as of `/output`; `since` takes them. `end` is null while it runs'),
  })
  .meta({ id: 'Command' });
export type Command = z.infer<typeof Command>;

/** Answer of `GET /api/terminals/:id/commands`. */
export const CommandList = z.object({
  integration: Integration,
  commands: z.array(Command).describe('Newest first'),
});
export type CommandList = z.infer<typeof CommandList>;

/** Answer of `GET /api/terminals/:id/commands/:commandId/output`. */
export const CommandOutput = z.object({
  id: z.string(),
  raw: z
    .string()
    .describe('What it has printed, line feeds as the program wrote them; with `raw=true`, the very bytes'),
  truncated: z.boolean().describe('The beginning has gone from the history, or is over `maxBytes`'),
});
export type CommandOutput = z.infer<typeof CommandOutput>;
