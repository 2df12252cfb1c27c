import { z } from 'zod';
import { Principal } from './principal.js';

/** Shells with shell integration, by the name of their program. */
export const ShellKind = z.enum(['bash', 'zsh', 'fish', 'pwsh']);
export type ShellKind = z.infer<typeof ShellKind>;

/** The shell whose marks report what runs in a terminal; `none` without such marks. */
export const Integration = z
  .enum([...ShellKind.options, 'none'])
  .describe('The shell whose prompts and commands are tracked; `none` if they cannot be tracked');
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
    '`running`: the command has not ended. `not-typed`: it was not typed. `refused`: the shell did not run it. `incomplete`: the shell expected more of it. `nothing-ran`: a blank line, a comment, or a line that ran nothing. `untold`: nothing reported its end. `unidentified`: other commands ran at the same time, and none could be identified as this one. `restarted`: it, or its terminal, ended while the service was restarting; a command whose terminal is gone may not have been typed',
  );
export type ExitCodeReason = z.infer<typeof ExitCodeReason>;

/** One command that a shell ran. */
export const Command = z
  .object({
    id: z.string().describe('Unique within its terminal'),
    commandLine: z.string(),
    cwd: z.string().nullable().describe('Working directory in which it was started'),
    startedAt: z.number().describe('Epoch milliseconds'),
    endedAt: z.number().nullable().describe('Epoch milliseconds; null while it runs'),
    durationMs: z.number().nullable().describe('null while it runs'),
    runId: z.string().optional().describe('Id of the run that typed it; absent for any other command'),
    typedBy: Principal.nullable()
      .optional()
      .describe(
        'Who typed its line, where that is certain: the client of its run, or the only writer that the terminal has had; else null. ' +
          'Clients of which nothing tells them apart count as one',
      ),
    exitCode: z
      .int()
      .nullable()
      .describe('null while it runs, and if nothing reported its exit code, as after `exec`'),
    outputCursor: z
      .object({ start: z.string(), end: z.string().nullable() })
      .describe(
        'Opaque cursors, as in the answers of `/output`, to pass as `since`. `end` is null while it runs',
      ),
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
    .describe(
      'What the command printed, with line feeds as the program wrote them; with `raw=true`, the exact bytes',
    ),
  truncated: z
    .boolean()
    .describe('Whether the beginning is missing, since it is no longer in the history or exceeds `maxBytes`'),
});
export type CommandOutput = z.infer<typeof CommandOutput>;
