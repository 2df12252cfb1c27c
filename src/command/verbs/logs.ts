import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { type AutoTerminal, NotFoundError } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { type Latest, latestLines } from '../latest-lines.js';
import { PrefixedLines, prefixesOf } from '../prefixed-lines.js';
import { ALL, manyTargets, SELECTOR, sayIfLost, TARGET_HELP, type TargetOptions } from '../targets.js';
import { remoteVerb } from '../verb.js';

type Options = CommonOptions & TargetOptions & { follow?: boolean; lines: number };

/** Milliseconds between two polls for new output. */
const POLL_MS = 250;
/** Polls for new output from one check for ended programs to the next. */
const ENDS_EVERY = 4;

/** `auto-terminal logs`: the output of terminals, as plain text. */
export function logs(context: Context): Command {
  return remoteVerb('logs', 'Print the output of terminals as plain text')
    .argument('[targets...]', TARGET_HELP)
    .addOption(SELECTOR)
    .addOption(ALL)
    .option('-n, --lines <number>', 'last lines of each', linesOf, 50)
    .option('-f, --follow', 'go on with what they print, until their programs end')
    .action(async (targets: string[], options: Options) => {
      const client = context.client(options);
      const ids = await manyTargets(context, client, targets, options);
      const printer = new PrefixedLines(ids.length < 2 ? new Map() : await prefixesOf(client, ids));
      const cursors: Record<string, string> = {};
      const asked = { lines: options.lines, signal: context.signal };
      for (const id of ids) {
        const latest = await (options.follow ? latestLines : pageOf)(client, id, asked).catch(
          (error: unknown) => {
            // Of many terminals, some may have been closed since they were listed.
            if (ids.length === 1) throw error;
            return unlessGone(error);
          },
        );
        if (latest === undefined) {
          context.say(`auto-terminal: ${id} has gone`);
          continue;
        }
        if (latest.text === '') await sayIfEmptied(context, client, id);
        await context.write(printer.take(id, latest.text));
        if (latest.cursor !== undefined) cursors[id] = latest.cursor;
      }
      if (options.follow) await follow(context, client, cursors, printer);
      for (const id of ids) await context.write(printer.rest(id));
    });
}

/** An empty answer does not show whether the terminal has printed nothing, or its output is lost. */
async function sayIfEmptied(context: Context, client: AutoTerminal, id: string): Promise<void> {
  const info = await client.terminals.get(id).info({ signal: context.signal }).catch(unlessGone);
  if (info) sayIfLost(context, info);
}

/** Resolves with the last lines. Even an unfinished last line ends with a line feed. */
async function pageOf(
  client: AutoTerminal,
  id: string,
  asked: { lines: number; signal: AbortSignal },
): Promise<Latest> {
  const { raw, cursor } = await client.terminals.get(id).output(asked);
  return { text: raw === '' ? '' : `${raw}\n`, cursor };
}

/** Prints new output until the programs of all terminals have ended. */
async function follow(
  context: Context,
  client: AutoTerminal,
  cursors: Record<string, string>,
  printer: PrefixedLines,
): Promise<void> {
  for (let round = 0; Object.keys(cursors).length > 0; round++) {
    // Checked before the output is read, so that the output of ended programs is complete.
    const ended = round % ENDS_EVERY === 0 ? await endedOf(client, Object.keys(cursors), context.signal) : [];
    const { changes, missing } = await client.terminals.changes(cursors, { signal: context.signal });
    for (const { id, raw, cursor, gap, truncated } of changes) {
      if (gap || truncated) context.say(`auto-terminal: output of ${id} is missing here`);
      await context.write(printer.take(id, raw));
      cursors[id] = cursor;
    }
    const isOver = (id: string) => !changes.some((change) => change.id === id);
    for (const id of [...missing, ...ended.filter(isOver)]) delete cursors[id];
    await delay(POLL_MS, undefined, { signal: context.signal });
  }
}

/** Returns the ids of terminals whose programs have ended. A terminal that is closed is not among them. */
async function endedOf(client: AutoTerminal, ids: readonly string[], signal: AbortSignal): Promise<string[]> {
  const looks = ids.map(async (id) => {
    const info = await client.terminals.get(id).info({ signal }).catch(unlessGone);
    return info?.status === 'exited' ? [id] : [];
  });
  return (await Promise.all(looks)).flat();
}

function unlessGone(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}

function linesOf(text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new InvalidArgumentError('It is a number of lines.');
  return Number(text);
}
