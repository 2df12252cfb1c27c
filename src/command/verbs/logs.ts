import { type Command, InvalidArgumentError } from 'commander';
import type { AutoTerminal } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { PrefixedLines, prefixesOf } from '../prefixed-lines.js';
import { ALL, manyTargets, SELECTOR, TARGET_HELP, type TargetOptions } from '../targets.js';
import { remoteVerb } from '../verb.js';

type Options = CommonOptions & TargetOptions & { follow?: boolean; lines: number };

/** Milliseconds between two questions for new output. */
const POLL_MS = 250;

/** `auto-terminal logs`: what terminals have printed, as plain text. */
export function logs(context: Context): Command {
  return remoteVerb('logs', 'Print the output of terminals as plain text')
    .argument('[targets...]', TARGET_HELP)
    .addOption(SELECTOR)
    .addOption(ALL)
    .option('-n, --lines <number>', 'last lines of each', linesOf, 50)
    .option('-f, --follow', 'go on with what they print')
    .action(async (targets: string[], options: Options) => {
      const client = context.client(options);
      const ids = await manyTargets(context, client, targets, options);
      const printer = new PrefixedLines(ids.length < 2 ? new Map() : await prefixesOf(client, ids));
      const cursors: Record<string, string> = {};
      for (const id of ids) {
        const page = await client.terminals.get(id).output({ lines: options.lines, signal: context.signal });
        if (page.raw !== '') await context.write(printer.take(id, `${page.raw}\n`));
        if (page.cursor !== undefined) cursors[id] = page.cursor;
      }
      if (options.follow) await follow(context, client, cursors, printer);
      for (const id of ids) await context.write(printer.rest(id));
    });
}

/** Ends once all terminals are gone. */
async function follow(
  context: Context,
  client: AutoTerminal,
  cursors: Record<string, string>,
  printer: PrefixedLines,
): Promise<void> {
  while (Object.keys(cursors).length > 0) {
    const { changes, missing } = await client.terminals.changes(cursors, { signal: context.signal });
    for (const { id, raw, cursor, gap, truncated } of changes) {
      if (gap || truncated) context.say(`auto-terminal: output of ${id} is missing here`);
      await context.write(printer.take(id, raw));
      cursors[id] = cursor;
    }
    for (const id of missing) delete cursors[id];
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    context.signal.throwIfAborted();
  }
}

function linesOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It is a number of lines.');
  return Number(text);
}
