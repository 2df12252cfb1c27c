import type { Command } from 'commander';
import { usageError } from './exit-codes.js';
import type { TargetOptions } from './targets.js';

/** Arguments and options that name something by an id or a name. */
const NAMING: ReadonlySet<string> = new Set([
  ...['target', 'targets', 'terminal', 'client', 'recording', 'recordings', 'id', 'ids', 'lease'],
  ...['machine', 'machines', 'name'],
]);

const FIX = 'Give an id or a name; a variable of your shell may not be set';

/**
 * Throws for an empty id or name. An empty text comes from a variable that is not set, and would name another thing:
 * a terminal without a name, all clients of a terminal, or another route of the API.
 */
export function refuseEmptyNames(command: Command): void {
  const { selector, all } = command.opts<TargetOptions>();
  command.registeredArguments.forEach((argument, index) => {
    const name = argument.name();
    // Verbs that type take a text in its place: Enter alone follows an empty text.
    if (name === 'target' && (selector !== undefined || all)) return;
    if (NAMING.has(name) && isEmpty(command.processedArgs[index])) throw usageError(`${name} is empty`, FIX);
  });
  for (const option of command.options) {
    const name = option.attributeName();
    if (NAMING.has(name) && isEmpty(command.getOptionValue(name)))
      throw usageError(`${option.long ?? name} is empty`, FIX);
  }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) ? value.includes('') : value === '';
}
