import { z } from 'zod';
import { CommandList, CommandOutput } from '../../contract/command.js';
import { DEFAULT_COMMANDS, MAX_ANSWER_BYTES, MAX_COMMANDS } from '../../contract/limits.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { countBetween, IdParams } from './params.js';

/** The commands that shells ran, as the gateway reads them. */
export interface CommandsPort {
  /** Returns the newest commands first. Throws terminal-not-found. */
  list(id: string, limit: number): CommandList;
  /** Throws terminal-not-found, command-not-found. */
  output(id: string, commandId: string, query: { raw: boolean; maxBytes: number }): Promise<CommandOutput>;
}

const ListQuery = z.object({
  limit: countBetween(1, MAX_COMMANDS).default(DEFAULT_COMMANDS).describe(`${DEFAULT_COMMANDS} when absent`),
});

const OutputQuery = z.object({
  raw: z.enum(['true', 'false']).default('false').describe('`true` leaves escape sequences in'),
  maxBytes: countBetween(0, MAX_ANSWER_BYTES)
    .default(MAX_ANSWER_BYTES)
    .describe(`${MAX_ANSWER_BYTES} when absent; of a longer output the end is answered`),
});

const CommandParams = IdParams.extend({ commandId: z.string() });

/** `/api/terminals/:id/commands`: the commands that its shell ran, and their output. */
export function registerCommands(app: App, commands: CommandsPort): void {
  const tags = ['Commands'];

  app.get(
    '/api/terminals/:id/commands',
    {
      schema: {
        summary: 'The commands that a shell ran, and runs',
        description:
          'Of shells that are integrated: bash, zsh, fish and PowerShell, unless the setting ' +
          '`terminals.shellIntegration` or the terminal turned it off. `integration` says which it is; with `none` ' +
          'only what `batch/run` and `fleet/execute` ran in POSIX shells is known. The newest 1,000 are kept, also over ' +
          'a restart of the service, for as long as the terminal is.',
        tags,
        params: IdParams,
        querystring: ListQuery,
        response: { 200: CommandList, ...failures('terminal-not-found') },
      },
    },
    async ({ params, query }) => commands.list(params.id, query.limit),
  );

  app.get(
    '/api/terminals/:id/commands/:commandId/output',
    {
      schema: {
        summary: 'What one command printed',
        description:
          'Exactly that, and so far where it still runs. Without `raw=true`, escape sequences are left out, and ' +
          'where the command moved the cursor, it is what a terminal without end would show. A terminal keeps its ' +
          'last 256 KiB of output: what has gone from them is missing, and `truncated` is true.',
        tags,
        params: CommandParams,
        querystring: OutputQuery,
        response: { 200: CommandOutput, ...failures('terminal-not-found', 'command-not-found') },
      },
    },
    ({ params, query }) =>
      commands.output(params.id, params.commandId, {
        raw: query.raw === 'true',
        maxBytes: query.maxBytes,
      }),
  );
}
