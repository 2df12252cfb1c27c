import type { Command } from '../../../src/client/browser.js';

/** Returns the commands, newest first, with a command that has begun or ended. */
export function withCommand(commands: readonly Command[], command: Command, limit: number): Command[] {
  const others = commands.filter(({ id }) => id !== command.id);
  return [command, ...others].sort((a, b) => b.startedAt - a.startedAt).slice(0, limit);
}
