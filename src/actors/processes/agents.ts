/** How an agent is recognized. What is left out of a setting stays as it is built in. */
interface AgentSetting {
  /** Names of its executables, as they stand in a `bin` folder. */
  commands?: readonly string[] | undefined;
  /**
   * What an interpreter runs it by: a package (`@scope/name`, `name`), also as a Python module, or a run of whole
   * path segments (`my-agent/main.py`).
   */
  scripts?: readonly string[] | undefined;
}

/** The agents of the configuration, by label. */
export type AgentSettings = Readonly<Record<string, AgentSetting>>;

/** Agents by what they are recognized by, all in lower case. */
export interface AgentTable {
  byCommand: ReadonlyMap<string, string>;
  byScript: ReadonlyMap<string, string>;
  /** Most path segments that one of the scripts has. */
  longestScript: number;
}

/** The agents that are known: executables and packages as their makers publish them. */
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
 * The built-in agents under those of the configuration. A list of the configuration replaces the built-in one, so
 * that an empty one turns it off; where two agents claim a name, the configuration's has it.
 */
export function agentTable(settings: AgentSettings): AgentTable {
  const added = Object.entries(settings).map(([label, setting]) => [label.toLowerCase(), setting] as const);
  const agents = new Map<string, AgentSetting>(Object.entries(BUILT_IN));
  for (const [label, { commands, scripts }] of added) {
    const base = agents.get(label);
    // Taken out first: what comes last wins.
    agents.delete(label);
    agents.set(label, { commands: commands ?? base?.commands, scripts: scripts ?? base?.scripts });
  }
  // Of two entries with one name, a map keeps the last.
  const named = (list: (agent: AgentSetting) => readonly string[]) =>
    new Map([...agents].flatMap(([label, agent]) => list(agent).map((name) => [name.toLowerCase(), label])));
  const byScript = named(({ scripts = [] }) => scripts);
  return {
    byCommand: named(({ commands = [] }) => commands),
    byScript,
    longestScript: Math.max(0, ...[...byScript.keys()].map((script) => script.split('/').length)),
  };
}
