import { z } from 'zod';
import { CommandList, CommandOutput } from '../../contract/command.js';
import { DEFAULT_COMMANDS, MAX_ANSWER_BYTES, MAX_COMMANDS } from '../../contract/limits.js';
import { needs } from '../access/needs.js';
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
  limit: countBetween(1, MAX_COMMANDS).default(DEFAULT_COMMANDS).describe(`Defaults to ${DEFAULT_COMMANDS}`),
});

const OutputQuery = z.object({
  raw: z.enum(['true', 'false']).default('false').describe('`true` keeps escape sequences'),
  maxBytes: countBetween(0, MAX_ANSWER_BYTES)
    .default(MAX_ANSWER_BYTES)
    .describe(`Defaults to ${MAX_ANSWER_BYTES}; of longer output, the end is kept`),
});

const CommandParams = IdParams.extend({ commandId: z.string() });

/** `/api/terminals/:id/commands`: the commands that its shell ran, and their output. */
export function registerCommands(app: App, commands: CommandsPort): void {
  const tags = ['Commands'];

  app.get(
    '/api/terminals/:id/commands',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'List the commands that a shell has run and runs',
        description:
          'Commands are known of integrated shells: bash, zsh, fish and PowerShell, unless the setting ' +
          '`terminals.shellIntegration` or the terminal turned integration off. `integration` names the ' +
          'shell. With `none`, only commands that `batch/run` and `fleet/execute` ran in POSIX shells are ' +
          'known. The newest 1,000 commands are kept for as long as the terminal is, also over a restart ' +
          'of the service.',
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
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get what one command printed',
        description:
          'Exactly the output of this command; if the command still runs, its output so far. Without ' +
          '`raw=true`, escape sequences are left out, and if the command moved the cursor, the text is ' +
          'what a terminal of unlimited height would show. A terminal keeps its last 256 KiB of output. ' +
          'If older output of the command is missing, `truncated` is true.',
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
