import type { Command } from 'commander';
import type { AgentExplanation, ProcessEntry } from '../../client/index.js';
import type { CommonOptions, Context } from '../context.js';
import { CommandError, EXIT } from '../exit-codes.js';
import {
  type Column,
  durationOf,
  type FormatOptions,
  OUTPUT,
  printFacts,
  printRows,
  QUIET,
} from '../format.js';
import { oneLine } from '../one-line.js';
import { oneTarget, TARGET_HELP } from '../targets.js';
import { verb } from '../verb.js';

const COLUMNS: readonly Column<ProcessEntry>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'AGENT', value: ({ agent }) => agent ?? '' },
  { title: 'STATUS', value: ({ agentStatus }) => agentStatus ?? 'unknown' },
  { title: 'WHY', value: ({ agentStatusReason }) => agentStatusReason ?? '' },
];

/** `auto-terminal agents`: the coding agents in the terminals. */
export function agents(context: Context): Command {
  return verb('agents', 'List the coding agents, and whether they wait for an answer')
    .enablePositionalOptions()
    .addOption(OUTPUT)
    .addOption(QUIET)
    .action(async (options: CommonOptions & FormatOptions) => {
      const all = await context.client(options).terminals.processes({ signal: context.signal });
      const found = all.filter(({ agent }) => agent !== null);
      await printRows(context, found, options, { columns: COLUMNS, id: ({ id }) => id, name: 'agents' });
    })
    .addCommand(explain(context));
}

function explain(context: Context): Command {
  return verb('explain', 'Say why an agent counts as idle, working or waiting')
    .argument('<target>', TARGET_HELP)
    .addOption(OUTPUT)
    .action(async (target: string, options: CommonOptions & FormatOptions) => {
      const client = context.client(options);
      const { id, name } = await oneTarget(context, client, target, { mustRun: true });
      const explanation = await client.terminals.get(id).explainAgent({ signal: context.signal });
      if (explanation.agent === null) {
        const fix = `auto-terminal show ${id} says what runs there; auto-terminal agents lists the agents`;
        throw new CommandError(
          EXIT.notFound,
          'no-agent',
          `No coding agent runs in ${id} (${oneLine(name)})`,
          fix,
        );
      }
      await printFacts(context, factsOf(explanation), explanation, options, id);
    });
}

function factsOf({ rule, row, line, rules, ...state }: AgentExplanation): Record<string, string> {
  const { agent, agentStatus, agentStatusReason, title, quietMs } = state;
  const place = row === null ? 'the title' : `row ${row + 1} of the screen`;
  const passed = rules.slice(0, rules.findIndex(({ holds }) => holds) + 1 || rules.length);
  const facts = {
    agent: agent ?? '',
    status: agentStatus ?? 'unknown',
    why: agentStatusReason ?? '',
    rule: rule ? `${rule.text} (${SOURCES[rule.source]})` : 'none of the rules holds',
    matched: line === null ? '' : `${place}: ${line}`,
    title: title ?? '',
    'last output': quietMs === null ? '' : `${durationOf(quietMs)} ago`,
    rules: `${passed.length} of ${rules.length} were looked at; -o json lists them`,
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== ''));
}

const SOURCES = {
  settings: 'from the setting agents',
  agent: 'built in for this agent',
  any: 'built in for any agent',
} as const;
