import { constants } from 'node:os';
import type { Command } from 'commander';
import type { AutoTerminal } from '../../client/index.js';
import { attachTo, ensureTerminal } from '../attach/attach.js';
import { DEFAULT_DETACH_KEYS, DETACH_KEYS_VARIABLE, detachKeysOf } from '../attach/detach-keys.js';
import type { CommonOptions, Context } from '../context.js';
import { CommandError, EXIT, shellCode, usageError } from '../exit-codes.js';
import { oneLine } from '../one-line.js';
import { ensureService } from '../start-service.js';
import { ME_VARIABLE, oneTarget, TARGET_HELP } from '../targets.js';
import { remoteVerb } from '../verb.js';
import { presentFolder } from './new.js';

interface Options extends CommonOptions {
  create?: boolean;
  readOnly?: boolean;
  detachKeys?: string;
}

/** `auto-terminal attach`: a terminal of the service in the person's own. */
export function attach(context: Context): Command {
  return remoteVerb('attach', 'Show a terminal in your own, and type into it')
    .argument('<target>', TARGET_HELP)
    .option('-A, --create', 'create a terminal of this name, with your shell, if there is none')
    .option('-r, --read-only', 'type nothing, and decide no size')
    .option(
      '--detach-keys <keys>',
      `keys that detach, such as ctrl-p,ctrl-q; none for none; ${DETACH_KEYS_VARIABLE} sets them, too; ` +
        `${DEFAULT_DETACH_KEYS} by default`,
    )
    .action(async (target: string, { create = false, readOnly = false, ...options }: Options) => {
      const { detachKeys: given, ...common } = options;
      // Checked before anything is started or created.
      ensureTerminal(context, context.env.TERM);
      const detachKeys = detachKeysOf(context.env, given);
      if (create) await ensureService(context, common);
      const client = context.client(common);
      const found = await oneTarget(context, client, target).then(
        (existing) => {
          const isEnded = existing.status === 'exited' && existing.name === target;
          return create && isEnded ? createNamed(context, client, target, common) : existing;
        },
        (error: unknown) => {
          const isMissing = error instanceof CommandError && error.code === 'terminal-not-found';
          if (!create || !isMissing) throw error;
          return createNamed(context, client, target, common);
        },
      );
      if (found.status === 'exited') {
        const fix = `auto-terminal screen ${found.id} shows what it has left`;
        throw new CommandError(EXIT.notFound, 'terminal-exited', `${oneLine(found.name)} has exited`, fix);
      }
      if (found.id === context.env[ME_VARIABLE])
        throw usageError(
          `${oneLine(found.name)} is the terminal that this command runs in`,
          'Its output would be drawn into itself without end; attach from another terminal',
        );
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
      // As with `docker attach`, the command ends with the program's exit code.
      const hasEnd = reason === 'exited' || reason === 'signal';
      if (hasEnd) context.exitCode = shellCode(exitCode, signal, constants.signals);
    });
}

/** Creates a terminal with the user's shell, of the size of the outer terminal: so its first prompt is drawn once. */
async function createNamed(context: Context, client: AutoTerminal, name: string, { machine }: CommonOptions) {
  const { columns: cols, rows } = context.stdout;
  // A folder of this machine means nothing on another machine.
  const cwd = machine === undefined ? { cwd: presentFolder() } : {};
  return (await client.terminals.create({ name, ...cwd, ...(cols && rows && { cols, rows }) })).created;
}
