import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

type Options = CommonOptions & { scrollback?: boolean; color?: boolean; png?: string };

const SGR = /\x1b\[[\d;:]*m/g;

/** `auto-terminal screen`: what a terminal shows. */
export function screen(context: Context): Command {
  return verb('screen', 'Print what a terminal shows')
    .argument('<target>', TARGET_HELP)
    .option('--scrollback', 'the rows above the screen, too')
    .option('--color', 'keep colours, also where the output is no terminal')
    .option('--png <file>', 'write a picture instead')
    .action(async (target: string, options: Options) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      const terminal = client.terminals.get(id);
      const { signal } = context;
      if (options.png !== undefined) {
        await writeFile(options.png, await terminal.screenshot({ signal }));
        return;
      }
      const { content } = await terminal.capture({ scrollback: options.scrollback ?? false, signal });
      const isColored = options.color ?? (context.isTty && context.env.NO_COLOR === undefined);
      const shown = isColored ? content : content.replace(SGR, '');
      // Blank rows below the last text say nothing.
      await context.write(`${shown.trimEnd()}\n`);
    });
}
