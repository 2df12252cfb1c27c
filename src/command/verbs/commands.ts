import type { Command } from 'commander';
import type { ProcessEntry, Command as Ran } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { ageOf, type Column, durationOf, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

const COMMANDS: readonly Column<Ran>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'EXIT', value: ({ exitCode, endedAt }) => (endedAt === null ? '…' : String(exitCode ?? '?')) },
  { title: 'TOOK', value: ({ durationMs }) => (durationMs === null ? '' : durationOf(durationMs)) },
  { title: 'STARTED', value: ({ startedAt }) => `${ageOf(startedAt)} ago` },
  { title: 'COMMAND', value: ({ commandLine }) => commandLine },
  { title: 'CWD', value: ({ cwd }) => cwd ?? '', wide: true },
];

const PROCESSES: readonly Column<ProcessEntry>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'PID', value: ({ currentApp }) => String(currentApp.pid) },
  { title: 'RUNS', value: ({ currentApp }) => currentApp.name },
  { title: 'SHELL', value: ({ shell }) => shell },
];

/** `auto-terminal commands`: the commands that a shell has run. */
export function commands(context: Context): Command {
  return verb('commands', 'List the commands that the shell of a terminal has run, newest first')
    .argument('<target>', TARGET_HELP)
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (target: string, options: CommonOptions & FormatOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      const listed = await client.terminals.get(id).commands({ signal: context.signal });
      if (listed.integration === 'none') context.say('auto-terminal: the shell does not report its commands');
      await printRows(context, listed.commands, options, {
        columns: COMMANDS,
        id: (ran) => ran.id,
        name: 'commands',
      });
    });
}

/** `auto-terminal ps`: the programs that run in each terminal. */
export function ps(context: Context): Command {
  return verb('ps', 'List what runs in each terminal')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: CommonOptions & FormatOptions) => {
      const all = await context.client(options).terminals.processes({ signal: context.signal });
      await printRows(context, all, options, { columns: PROCESSES, id: ({ id }) => id, name: 'processes' });
    });
}
