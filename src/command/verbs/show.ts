import type { Command } from 'commander';
import type { HeldLimits } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { ageOf, durationOf, type FormatOptions, OUTPUT, printFacts } from '../format.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';
import { labelsOf, stateOf } from './ls.js';

/** `auto-terminal show`: all about one terminal. */
export function show(context: Context): Command {
  return verb('show', 'Show all about a terminal')
    .argument('<target>', TARGET_HELP)
    .addOption(OUTPUT)
    .action(async (target: string, options: CommonOptions & FormatOptions) => {
      const client = context.client(options);
      const { id } = await oneTarget(context, client, target);
      for await (const view of client.terminals.views({ status: 'all', signal: context.signal })) {
        if (view.id !== id) continue;
        const { command } = view;
        const facts = {
          id: view.id,
          name: view.name,
          state: stateOf(view),
          agent: view.agent === null ? '' : `${view.agent} (${view.agentStatusReason ?? 'status unknown'})`,
          runs: view.currentApp ? `${view.currentApp.name} (pid ${view.currentApp.pid})` : '',
          directory: view.cwd ?? '',
          command: command?.commandLine ?? '',
          'exit code': command && command.endedAt !== null ? String(command.exitCode ?? 'unknown') : '',
          took: command?.durationMs ? durationOf(command.durationMs) : '',
          shell: view.integration,
          size: `${view.cols}x${view.rows}`,
          clients: String(view.clients),
          'typed by': view.lastInputSource
            ? `${view.lastInputSource}, ${ageOf(view.lastInputAt ?? 0)} ago`
            : '',
          labels: labelsOf(view.labels),
          profile: view.profile,
          created: `${ageOf(view.createdAt)} ago`,
          tmux: view.attach ?? '',
          limits: limitsText(view.limits),
        };
        const known = Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
        await printFacts(context, known, { terminal: view }, options, id);
        return;
      }
      throw new CommandError(EXIT.notFound, 'terminal-not-found', `Terminal ${id} has gone`);
    });
}

/** Returns the limits in force, and the means that enforces them. */
function limitsText(limits: HeldLimits | undefined): string {
  if (!limits) return '';
  const { by, memoryBytes, pids, cpuWeight, notHeld = [] } = limits;
  const held = [
    ...(memoryBytes === null ? [] : [`memory ${memoryBytes}`]),
    ...(pids === null ? [] : [`pids ${pids}`]),
    ...(cpuWeight === null ? [] : [`cpu weight ${cpuWeight}`]),
  ];
  const not = notHeld.length > 0 ? `; not held: ${notHeld.join(', ')}` : '';
  return `${held.join(', ') || 'none'}${by === null ? '' : ` (${by})`}${not}`;
}
