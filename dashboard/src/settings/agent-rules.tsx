import { useState } from 'react';
import type { SettingsAnswer, SettingsChange } from '../../../src/client/browser.js';
import { say } from '../parts/toasts.js';
import { Field, Section } from './section.js';
import { changeSettings } from './use-settings.js';

/** Returns the change that turns the table of agents into `wanted`; null removes an entry. */
function changeTo(wanted: object, before: object): SettingsChange['agents'] {
  const gone = Object.keys(before).filter((name) => !(name in wanted));
  return { ...wanted, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

/** The rules that recognise coding agents and their status, as the text of the setting `agents`. */
export function AgentRules({ settings }: { settings: SettingsAnswer }) {
  const saved = JSON.stringify(settings.agents, null, 2);
  const [draft, setDraft] = useState<string>();
  const text = draft ?? saved;
  const save = async () => {
    let wanted: unknown;
    try {
      wanted = JSON.parse(text);
    } catch (error) {
      say(`This is not JSON: ${(error as Error).message}`, true);
      return;
    }
    if (typeof wanted !== 'object' || wanted === null) say('This must be a table of agents', true);
    else if (await changeSettings({ agents: changeTo(wanted, settings.agents) })) setDraft(undefined);
  };
  return (
    <Section
      title="Agents"
      about="Agents of your own, and rules for their status. Built-in rules come after these; “why?” at an agent that waits shows the rule that decided."
      onSave={save}
      isChanged={text !== saved}
    >
      <Field
        label="Rules"
        hint='Such as {"claude": {"rules": [{"status": "waiting", "text": "Do you want*?", "rows": 8}]}}'
      >
        <textarea
          rows={Math.min(20, text.split('\n').length + 1)}
          className="code"
          spellCheck={false}
          value={text}
          onChange={({ target }) => setDraft(target.value)}
        />
      </Field>
    </Section>
  );
}
