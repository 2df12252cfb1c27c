import { constants } from 'node:os';
import type { Command } from 'commander';
import { attachTo } from '../attach/attach.js';
import { DEFAULT_DETACH_KEYS, DETACH_KEYS_VARIABLE } from '../attach/detach-keys.js';
import type { CommonOptions, Context } from '../context.js';
import { CommandError, shellCode } from '../exit-codes.js';
import { ensureService } from '../start-service.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

interface Options extends CommonOptions {
  create?: boolean;
  readOnly?: boolean;
  detachKeys: string;
}

/** `auto-terminal attach`: a terminal of the service in the person's own. */
export function attach(context: Context): Command {
  return verb('attach', 'Show a terminal in your own, and type into it')
    .argument('<target>', TARGET_HELP)
    .option('-A, --create', 'create a terminal of this name, with your shell, if there is none')
    .option('-r, --read-only', 'type nothing, and decide no size')
    .option(
      '--detach-keys <keys>',
      `keys that detach, such as ctrl-p,ctrl-q; none for none; ${DETACH_KEYS_VARIABLE} sets them, too`,
      context.env[DETACH_KEYS_VARIABLE] ?? DEFAULT_DETACH_KEYS,
    )
    .action(async (target: string, { create = false, readOnly = false, detachKeys, ...common }: Options) => {
      if (create) await ensureService(context, common);
      const client = context.client(common);
      const found = await oneTarget(context, client, target).catch(async (error: unknown) => {
        if (!create || !(error instanceof CommandError) || error.code !== 'terminal-not-found') throw error;
        return (await client.terminals.create({ name: target, cwd: process.cwd() })).created;
      });
      const {
        reason,
        exitCode = null,
        signal = null,
      } = await attachTo({
        terminal: client.terminals.get(found.id),
        ...{ stdin: context.stdin, stdout: context.stdout, stderr: context.stderr },
        options: { readOnly, detachKeys, name: found.name, clientName: context.env.USER ?? '' },
        signal: context.signal,
      });
      // As `docker attach` does: the program's own end is that of the command.
      const hasEnd = reason === 'exited' || reason === 'signal';
      if (hasEnd) context.exitCode = shellCode(exitCode, signal, constants.signals);
    });
}
