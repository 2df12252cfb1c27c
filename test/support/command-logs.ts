import { CommandLog, type LogChange } from '#dist/actors/commands/command-log.js';
import type { Command } from '#dist/contract/command.js';
import type { CommandMark } from '#dist/workers/shard/stages/command-plan.js';

/** Returns the log of a new terminal. */
export const nothingKept = () => new CommandLog({ ended: [], read: () => undefined });

/** Takes marks, and returns the changes that they bring. */
export function take(log: CommandLog, marks: readonly CommandMark[]): LogChange[] {
  return marks.flatMap((mark) => log.take(mark) ?? []);
}

export const linesOf = (commands: readonly Command[]) => commands.map(({ commandLine }) => commandLine);

/** Returns the log as the next service finds it after everything was written. */
export function reopened(log: CommandLog): CommandLog {
  const { put } = log.changes();
  // The record as it comes back from the disk.
  const kept = JSON.parse(JSON.stringify(log.kept()));
  const ended = new Map(put.map((command) => [command.id, command]));
  return new CommandLog({ kept, ended: [...ended.keys()], read: (id) => ended.get(id) });
}
