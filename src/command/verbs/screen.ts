import { writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { Terminal } from '../../client/index.js';
import { clearScreen, hasColors } from '../colors.js';
import type { CommonOptions, Context } from '../context.js';
import { usageError } from '../exit-codes.js';
import { oneTarget, sayIfLost, TARGET_HELP } from '../targets.js';
import { remoteVerb } from '../verb.js';

type Options = CommonOptions & { scrollback?: boolean; color?: boolean; png?: string; watch?: boolean };

const SGR = /\x1b\[[\d;:]*m/g;

/** Milliseconds between two looks of `-w`. */
const WATCH_MS = 500;

/** `auto-terminal screen`: the screen of a terminal. */
export function screen(context: Context): Command {
  return remoteVerb('screen', 'Print what a terminal shows')
    .argument('<target>', TARGET_HELP)
    .option('--scrollback', 'the rows above the screen, too')
    .option('--color', 'keep colours, also where the output is no terminal')
    .option('--png <file>', 'write a picture instead')
    .option('-w, --watch', 'print it again when it has changed, until the program ends')
    .action(async (target: string, options: Options) => {
      if (options.watch && options.png !== undefined)
        throw usageError('--watch and --png exclude each other');
      const client = context.client(options);
      const info = await oneTarget(context, client, target);
      sayIfLost(context, info);
      const terminal = client.terminals.get(info.id);
      const { signal } = context;
      if (options.png !== undefined) await writeFile(options.png, await terminal.screenshot({ signal }));
      else if (options.watch) await watched(context, terminal, options);
      else await context.write(await shown(context, terminal, options));
    });
}

/** Prints each screen that differs from the previous screen; on a terminal, in place of it. */
async function watched(context: Context, terminal: Terminal, options: Options): Promise<void> {
  let before: string | undefined;
  for (;;) {
    const { status } = await terminal.info({ signal: context.signal });
    const now = await shown(context, terminal, options);
    if (now !== before) await context.write(clearScreen(context) + now);
    if (status === 'exited') return;
    before = now;
    await delay(WATCH_MS, undefined, { signal: context.signal });
  }
}

async function shown(
  context: Context,
  terminal: Terminal,
  { scrollback = false, color = hasColors(context) }: Options,
): Promise<string> {
  const { content } = await terminal.capture({ scrollback, signal: context.signal });
  const text = color ? content : content.replace(SGR, '');
  // Blank rows below the last text are dropped.
  return `${text.trimEnd()}\n`;
}
