/** How an agent is recognized. Fields that are left out keep their built-in values. */
interface AgentSetting {
  /** Names of its executables, as in a `bin` folder. */
  commands?: readonly string[] | undefined;
  /**
   * Names by which an interpreter runs it: a package (`@scope/name`, `name`), also as a Python module, or a sequence of
   * whole path segments (`my-agent/main.py`).
   */
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

/** The built-in agents: executables and packages as their makers publish them. */
const BUILT_IN: Readonly<Record<string, Required<AgentSetting>>> = {
  claude: { commands: ['claude'], scripts: ['@anthropic-ai/claude-code'] },
  codex: { commands: ['codex'], scripts: ['@openai/codex'] },
  gemini: { commands: ['gemini'], scripts: ['@google/gemini-cli'] },
  copilot: { commands: ['copilot'], scripts: ['@github/copilot'] },
  aider: { commands: ['aider'], scripts: ['aider', 'aider-chat'] },
  opencode: { commands: ['opencode', '.opencode'], scripts: ['opencode-ai'] },
  goose: { commands: ['goose'], scripts: [] },
  amp: { commands: ['amp'], scripts: ['@ampcode/cli', '@sourcegraph/amp'] },
  qwen: { commands: ['qwen'], scripts: ['@qwen-code/qwen-code'] },
  cursor: { commands: ['cursor-agent'], scripts: ['cursor-agent/versions'] },
  crush: { commands: ['crush'], scripts: ['@charmland/crush'] },
  droid: { commands: ['droid'], scripts: ['@factory/cli', 'droid'] },
  kiro: { commands: ['kiro-cli', 'kiro-cli-chat'], scripts: [] },
  q: { commands: ['q', 'qchat'], scripts: [] },
  auggie: { commands: ['auggie'], scripts: ['@augmentcode/auggie'] },
  cline: { commands: ['cline'], scripts: ['cline'] },
  continue: { commands: ['cn'], scripts: ['@continuedev/cli'] },
  plandex: { commands: ['plandex', 'pdx'], scripts: [] },
  kilo: { commands: ['kilo', 'kilocode'], scripts: ['@kilocode/cli'] },
  pi: { commands: [], scripts: ['@mariozechner/pi-coding-agent'] },
  codebuff: { commands: ['codebuff'], scripts: ['codebuff'] },
  jules: { commands: ['jules'], scripts: ['@google/jules'] },
  kimi: { commands: ['kimi'], scripts: ['kimi-cli', 'kimi_cli'] },
  openhands: { commands: ['openhands'], scripts: ['openhands', 'openhands-ai'] },
  vibe: { commands: ['vibe'], scripts: ['mistral-vibe'] },
  gptme: { commands: ['gptme'], scripts: ['gptme'] },
  interpreter: { commands: ['interpreter'], scripts: ['open-interpreter'] },
};

/**
 * Returns the built-in agents, overridden by the agents of the configuration. A list of the configuration replaces the
 * built-in list, so an empty list turns that recognition off. Where two agents claim a name, the agent of the
 * configuration gets it.
 */
export function agentTable(settings: AgentSettings): AgentTable {
  const added = Object.entries(settings).map(([label, setting]) => [label.toLowerCase(), setting] as const);
  const agents = new Map<string, AgentSetting>(Object.entries(BUILT_IN));
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
