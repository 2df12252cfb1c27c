import { KNOWN_AGENTS } from '../agents/known/all.js';

/** How an agent is recognized, as {@link KNOWN_AGENTS} has it. Fields that are left out keep their built-in values. */
interface AgentSetting {
  commands?: readonly string[] | undefined;
  scripts?: readonly string[] | undefined;
}

/** The agents of the configuration, by label. */
export type AgentSettings = Readonly<Record<string, AgentSetting>>;

/** Labels of agents, by the lower-case names by which they are recognized. */
export interface AgentTable {
  byCommand: ReadonlyMap<string, string>;
  byScript: ReadonlyMap<string, string>;
  /** Number of path segments of the longest script. */
  longestScript: number;
}

/**
 * Returns the built-in agents, overridden by the agents of the configuration. A list of the configuration replaces the
 * built-in list, so an empty list turns that recognition off. Where two agents claim a name, the agent of the
 * configuration gets it.
 */
export function agentTable(settings: AgentSettings): AgentTable {
  const added = Object.entries(settings).map(([label, setting]) => [label.toLowerCase(), setting] as const);
  const agents = new Map<string, AgentSetting>(Object.entries(KNOWN_AGENTS));
  for (const [label, { commands, scripts }] of added) {
    const base = agents.get(label);
    // Deleted first, so that it moves to the end: the last agent with a name wins.
    agents.delete(label);
    agents.set(label, { commands: commands ?? base?.commands, scripts: scripts ?? base?.scripts });
  }
  // A map keeps the last of two entries with the same name.
  const named = (list: (agent: AgentSetting) => readonly string[]) =>
    new Map([...agents].flatMap(([label, agent]) => list(agent).map((name) => [name.toLowerCase(), label])));
  const byScript = named(({ scripts = [] }) => scripts);
  return {
    byCommand: named(({ commands = [] }) => commands),
    byScript,
    longestScript: Math.max(0, ...[...byScript.keys()].map((script) => script.split('/').length)),
  };
}
