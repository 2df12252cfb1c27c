import type { AgentExplanation } from '../../contract/agent.js';
import type { SettingsFile } from '../../contract/settings.js';
import { isKnownAgent, KNOWN_AGENTS } from './known/all.js';
import { ANY_AGENT_RULES } from './known/any.js';
import { type Matcher, matcherOf } from './match.js';
import type { ScreenRule } from './screen-rule.js';

/** A rule in the book of an agent. */
export interface BookRule extends ScreenRule {
  /** Origin of the rule: the settings, built in for this agent, or built in for any agent. */
  source: AgentExplanation['rules'][number]['source'];
  matches: Matcher;
}

/** Rules of an agent in the settings, where labels may be in any case. */
type AgentSettings = Pick<SettingsFile['agents'][string], 'rules'>;

/** Rules for each agent, in the order in which they are tried: the rules of the settings come first. */
export class RuleBook {
  readonly #settings: () => Readonly<Record<string, AgentSettings>>;
  /** Settings that the cached rules were made from. */
  #made: Readonly<Record<string, AgentSettings>> | undefined;
  readonly #rules = new Map<string, readonly BookRule[]>();

  /** `settings` returns the current settings, as another object after each change. */
  constructor(settings: () => Readonly<Record<string, AgentSettings>>) {
    this.#settings = settings;
  }

  /** Returns the rules for an agent; the same array until the settings change. */
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
    .map((rule) => ({ ...rule, reason: `the rule “${rule.text}” of the settings holds` }));
  const builtIn = isKnownAgent(agent) ? KNOWN_AGENTS[agent]?.rules : undefined;
  return [...from('settings', added), ...from('agent', builtIn ?? []), ...from('any', ANY_AGENT_RULES)];
}

function from(source: BookRule['source'], rules: readonly ScreenRule[]): BookRule[] {
  return rules.map((rule) => ({ ...rule, source, matches: matcherOf(rule.text) }));
}
