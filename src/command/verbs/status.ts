import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { Command } from 'commander';
import type { ServiceFacts } from '../../client/index.js';
import { resolvePaths } from '../../config/paths.js';
import { VERSION } from '../../contract/version.js';
import type { CommonOptions, Context } from '../context.js';
import { type FormatOptions, OUTPUT, printFacts } from '../format.js';
import { verb } from '../verb.js';

/** `auto-terminal status`: the service, in a few lines. */
export function status(context: Context): Command {
  return verb('status', 'Show the running service')
    .addOption(OUTPUT)
    .action(async (options: CommonOptions & FormatOptions) => {
      const client = context.client(options);
      const { signal } = context;
      const [health, terminals, processes] = await Promise.all([
        client.health({ signal }),
        client.terminals.list({ status: 'all', signal }),
        client.terminals.processes({ signal }),
      ]);
      const running = terminals.filter((terminal) => terminal.status === 'running').length;
      const agents = processes.filter(({ agent }) => agent !== null);
      const waiting = agents.filter(({ agentStatus }) => agentStatus === 'waiting').length;
      const place = placeOf(context, health.instanceId);
      const facts = {
        service: `${health.app} ${health.version}`,
        command: VERSION === health.version ? 'the same version' : `version ${VERSION}`,
        instance: health.instanceId,
        ...(place && { url: place.url, process: String(place.pid) }),
        terminals: `${running} running, ${terminals.length - running} exited`,
        agents: `${agents.length}, of which ${waiting} wait for an answer`,
        search: health.details?.search ?? 'unknown',
        recordings: health.details?.recordings ?? 'unknown',
      };
      const whole = { ...health, ...place, terminals: { running, exited: terminals.length - running } };
      await printFacts(
        context,
        facts,
        { ...whole, agents: { total: agents.length, waiting } },
        options,
        health.instanceId,
      );
    });
}

/** Where a service of this user listens; nothing about another service, which no file here describes. */
function placeOf(context: Context, instance: string): { url: string; pid: number } | undefined {
  const { serviceFile } = resolvePaths({ env: context.env, platform: process.platform, tmpFolder: tmpdir() });
  try {
    const { instanceId, url, pid } = JSON.parse(readFileSync(serviceFile, 'utf8')) as ServiceFacts;
    return instanceId === instance ? { url, pid } : undefined;
  } catch {
    // No service of this user runs here.
    return undefined;
  }
}
