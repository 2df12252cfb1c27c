import { availableParallelism } from 'node:os';
import type { Logger } from 'pino';
import { AgentLooks } from '../actors/agents/agent-looks.js';
import { AgentWatch } from '../actors/agents/agent-watch.js';
import { RuleBook } from '../actors/agents/rule-book.js';
import type { Commands } from '../actors/commands/commands.js';
import { lineModes } from '../actors/processes/line-mode.js';
import { processTable } from '../actors/processes/platform.js';
import { Processes } from '../actors/processes/processes.js';
import type { LiveConfig } from '../config/live-config.js';
import { AGENT_UNFOLLOW_MS } from '../contract/limits.js';
import type { FanOut } from '../gateway/ws/fan-out.js';
import { positionOf } from '../workers/shard/read-cursor.js';
import type { RunningEngine } from './engine.js';

export interface AgentParts {
  config: LiveConfig;
  engine: RunningEngine;
  commands: Pick<Commands, 'shellStatus'>;
  fanOut: FanOut;
  /** Returns whether an agent in the terminal was reported to followers, perhaps by an earlier service. */
  wasTold: (id: string) => boolean;
  logger: Logger;
}

/** Creates the process list of the terminals, and the watch on the coding agents among these processes. */
export function createAgents(parts: AgentParts) {
  const { config, engine, commands, fanOut, logger } = parts;
  const { terminals, screens } = engine;
  const settings = () => config.current.agents;
  const isInLineMode = lineModes();
  const looks = new AgentLooks({
    screens,
    size: (id) => terminals.size(id),
    programStart: (id) => {
      const { running } = commands.shellStatus(id);
      return running === null ? 0 : positionOf(running.outputCursor.start);
    },
    takesLines: (id) => isInLineMode(terminals.startOf(id).pid) === true,
    rules: new RuleBook(settings),
  });
  const cores = availableParallelism();
  const table = processTable(process.platform, cores);
  const processes = new Processes({
    table,
    terminals: () => terminals.running(),
    agents: settings,
    states: (agents) => looks.states(agents),
    cores,
  });
  const onFault = (err: unknown) =>
    logger.error({ err }, 'the coding agents in terminals could not be detected');
  const { wasTold } = parts;
  const agents = new AgentWatch({ terminals, processes, looks, screens, settings, wasTold, onFault });
  const followers = { lifecycle: false, events: false, webhooks: false };
  let ending: NodeJS.Timeout | undefined;
  const unfollow = () => {
    ending = undefined;
    agents.setFollowed(false);
  };
  const follow = (change: Partial<typeof followers>) => {
    Object.assign(followers, change);
    const isFollowed = followers.lifecycle || followers.events || followers.webhooks;
    if (isFollowed && ending) agents.announceAgain();
    clearTimeout(ending);
    ending = undefined;
    if (isFollowed) agents.setFollowed(true);
    // A page that is loaded anew leaves for a moment; what happens meanwhile is not missed.
    else ending = setTimeout(unfollow, AGENT_UNFOLLOW_MS).unref();
  };
  fanOut.onLifecycleFollowed((lifecycle) => follow({ lifecycle }));
  return {
    ...{ processes, agents, looks, table },
    followByEvents: (events: boolean) => follow({ events }),
    followByWebhooks: (webhooks: boolean) => {
      if (webhooks !== followers.webhooks) follow({ webhooks });
    },
  };
}
