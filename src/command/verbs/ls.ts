import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { TerminalView } from '../../client/index.js';
import { clearScreen } from '../colors.js';
import type { CommonOptions, Context } from '../context.js';
import { ageOf, type Column, type FormatOptions, OUTPUT, printRows, QUIET } from '../format.js';
import { SELECTOR } from '../targets.js';
import { remoteVerb } from '../verb.js';

type Options = CommonOptions & FormatOptions & { selector?: string; all?: boolean; watch?: boolean };

/** Milliseconds between two lists of `-w`. */
const WATCH_MS = 2_000;

const COLUMNS: readonly Column<TerminalView>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'STATE', value: stateOf },
  { title: 'RUNS', value: runsOf },
  { title: 'LAST', value: (view) => lastOf(view, 30) },
  { title: 'AGE', value: ({ createdAt }) => ageOf(createdAt) },
  { title: 'LABELS', value: ({ labels }) => labelsOf(labels) },
  { title: 'SIZE', value: ({ cols, rows }) => `${cols}x${rows}`, wide: true },
  { title: 'CLIENTS', value: ({ clients }) => String(clients), wide: true },
  { title: 'PID', value: ({ pid }) => String(pid), wide: true },
  { title: 'CWD', value: ({ cwd }) => cwd ?? '', wide: true },
];

/** `auto-terminal ls`: the terminals, with their states. */
export function ls(context: Context): Command {
  return remoteVerb('ls', 'List the terminals, with what each does')
    .alias('list')
    .addOption(SELECTOR)
    .option('-a, --all', 'exited terminals that are still kept, too')
    .addOption(OUTPUT)
    .addOption(QUIET)
    .option('-w, --watch', 'list again every two seconds')
    .action(async (options: Options) => {
      for (;;) {
        const terminals = [];
        const query = { status: options.all ? 'all' : 'running', selector: options.selector } as const;
        for await (const view of context
          .client(options)
          .terminals.views({ ...query, signal: context.signal }))
          terminals.push(view);
        if (options.watch) await context.write(clearScreen(context));
        await printRows(context, terminals, options, {
          columns: COLUMNS,
          id: ({ id }) => id,
          name: 'terminals',
        });
        if (!options.watch) return;
        await delay(WATCH_MS, undefined, { signal: context.signal });
      }
    });
}

/** Returns the state of a terminal, in one word or two. */
export function stateOf({
  status,
  exitCode,
  signal,
  agentStatus,
  atPrompt,
  command,
  oomKilled,
}: TerminalView): string {
  if (status === 'exited' && oomKilled) return 'ended: out of memory';
  if (status === 'exited') return signal ? `ended: ${signal}` : `exited ${exitCode ?? '?'}`;
  if (agentStatus) return agentStatus;
  if (atPrompt) return 'prompt';
  return command?.endedAt === null ? 'busy' : 'running';
}

/** Returns the exit code and the line of the last command; the line is cut to `most` characters. */
export function lastOf({ command }: TerminalView, most: number): string {
  if (!command) return '';
  const code = command.endedAt === null ? '…' : (command.exitCode ?? '?');
  const line = command.commandLine;
  return `${code}  ${line.length > most ? `${line.slice(0, most - 1)}…` : line}`;
}

/** Returns the coding agent or the program that runs in a terminal. */
export function runsOf({ currentApp, agent }: TerminalView): string {
  return agent ?? currentApp?.name ?? '';
}

export function labelsOf(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join(',');
}
