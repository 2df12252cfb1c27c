import { useQuery } from '@tanstack/react-query';
import type { Command, CommandList } from '../../../src/client/browser.js';
import { useServiceEvents } from '../fleet/event-bus.js';
import { queries } from '../parts/queries.js';
import { service } from '../service.js';
import { withCommand } from './command-list.js';

/** Commands that the page lists. */
const LIMIT = 200;

/** Returns the commands of a terminal's shell, newest first, as they begin and end. */
export function useCommands(terminalId: string): { list: CommandList | undefined; error: unknown } {
  const key = ['commands', terminalId];
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => service.terminals.get(terminalId).commands({ limit: LIMIT, signal }),
  });
  useServiceEvents('command.', (event) => {
    if (event.terminalId !== terminalId) return;
    const command = event.data as unknown as Command;
    queries.setQueryData<CommandList>(
      key,
      (list) => list && { ...list, commands: withCommand(list.commands, command, LIMIT) },
    );
  });
  return { list: data, error };
}
