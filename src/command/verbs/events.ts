import type { Command } from 'commander';
import type { CommonOptions, Context } from '../context.js';
import { areLinesJson, type FormatOptions, LINES } from '../format.js';
import { oneLine } from '../one-line.js';
import { SELECTOR } from '../targets.js';
import { collect, verb } from '../verb.js';

type Options = CommonOptions & FormatOptions & { selector?: string; type?: string[]; since?: string };

/** `auto-terminal events`: the events of the service, as they happen. */
export function events(context: Context): Command {
  return verb('events', 'Follow what happens: terminals, commands, agents, recordings')
    .addOption(SELECTOR)
    .option('-t, --type <type>', 'such as agent.status or command.*; may be repeated', collect)
    .option('--since <id>', 'id of the last event that is known')
    .addOption(LINES)
    .action(async ({ selector, type, since, output, ...options }: Options) => {
      const isJson = areLinesJson(context, output);
      const query = { selector, types: type, since, signal: context.signal };
      for await (const event of context.client(options).events(query)) {
        if (isJson) {
          await context.write(`${JSON.stringify(event)}\n`);
          continue;
        }
        if (event.type === 'reset') {
          await context.write(`events are missing here: ${'reason' in event ? event.reason : ''}\n`);
        } else if ('timestamp' in event) {
          const time = event.timestamp.slice(11, 19);
          await context.write(
            `${time}  ${event.type.padEnd(18)} ${event.terminalId ?? ''}  ${detailOf(event.data)}\n`,
          );
        }
      }
    });
}

/** Returns the part of an event that people look for. */
function detailOf(data: Readonly<Record<string, unknown>>): string {
  const { name, commandLine, exitCode, agent, agentStatus, source, cols, rows } = data;
  const words = [name, agent, agentStatus, commandLine, source].filter((word) => typeof word === 'string');
  if (typeof exitCode === 'number') words.push(`exit ${exitCode}`);
  if (typeof cols === 'number') words.push(`${cols}x${String(rows)}`);
  return oneLine(words.join(' '));
}
