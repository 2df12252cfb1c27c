import type { AgentExplanation } from '../../contract/agent.js';
import type { SettingsFile } from '../../contract/settings.js';
import { type Matcher, matcherOf } from './match.js';
import { AGENT_RULES, ANY_AGENT_RULES } from './rules.js';
import type { ScreenRule } from './screen-rule.js';

/** A rule that stands in the book of an agent. */
export interface BookRule extends ScreenRule {
  /** Whose it is: of the settings, built in for this agent, or built in for any. */
  source: AgentExplanation['rules'][number]['source'];
  matches: Matcher;
}

/** The rules of the settings, by label in any case. */
type AgentSettings = Pick<SettingsFile['agents'][string], 'rules'>;

/** The rules for each agent, in the order in which they are asked: those of the settings come first. */
export class RuleBook {
  readonly #settings: () => Readonly<Record<string, AgentSettings>>;
  /** What the rules below were made of. */
  #made: Readonly<Record<string, AgentSettings>> | undefined;
  readonly #rules = new Map<string, readonly BookRule[]>();

  /** `settings` gives those of each moment, another object after each change. */
  constructor(settings: () => Readonly<Record<string, AgentSettings>>) {
    this.#settings = settings;
  }

  /** The same array until the settings change. */
  rulesFor(agent: string): readonly BookRule[] {
    const settings = this.#settings();
    if (settings !== this.#made) this.#rules.clear();
    this.#made = settings;
    const rules = this.#rules.get(agent) ?? compile(agent, settings);
    this.#rules.set(agent, rules);
    return rules;
  }
}

function compile(agent: string, settings: Readonly<Record<string, AgentSettings>>): BookRule[] {
  const added = Object.entries(settings)
    .filter(([label]) => label.toLowerCase() === agent)
    .flatMap(([, { rules = [] }]) => rules)
    .map((rule) => ({ ...rule, reason: `the settings' rule “${rule.text}” holds` }));
  const builtIn = Object.hasOwn(AGENT_RULES, agent) ? AGENT_RULES[agent] : undefined;
  return [...from('settings', added), ...from('agent', builtIn ?? []), ...from('any', ANY_AGENT_RULES)];
}

function from(source: BookRule['source'], rules: readonly ScreenRule[]): BookRule[] {
  return rules.map((rule) => ({ ...rule, source, matches: matcherOf(rule.text) }));
}
