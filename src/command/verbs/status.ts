import type { Command } from 'commander';
import { serviceFacts } from '../../config/service-facts.js';
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
      const facts = serviceFacts(context.env);
      // No file here describes a service elsewhere.
      const place = facts?.instanceId === health.instanceId && {
        url: facts.url,
        dashboard: facts.dashboard,
        pid: facts.pid,
      };
      const told = {
        service: `${health.app} ${health.version}`,
        command: VERSION === health.version ? 'the same version' : `version ${VERSION}`,
        instance: health.instanceId,
        ...(place && { url: place.url }),
        ...(place && place.dashboard !== null && { dashboard: place.dashboard }),
        ...(place && { process: String(place.pid) }),
        terminals: `${running} running, ${terminals.length - running} exited`,
        agents: `${agents.length}, of which ${waiting} wait for an answer`,
        search: health.details?.search ?? 'unknown',
        recordings: health.details?.recordings ?? 'unknown',
      };
      const whole = { ...health, ...place, terminals: { running, exited: terminals.length - running } };
      await printFacts(
        context,
        told,
        { ...whole, agents: { total: agents.length, waiting } },
        options,
        health.instanceId,
      );
    });
}
