import { useState } from 'react';
import type { CreatedToken } from '../../../src/client/browser.js';
import { Checks } from '../parts/checks.js';
import { FormDialog } from '../parts/form-dialog.js';
import { service } from '../service.js';
import { Field } from '../settings/section.js';
import { LIVES, NEW_TOKEN, type TokenDraft, tokenOf, VERBS } from './token-words.js';

interface TokenFormProps {
  onClose: () => void;
  onMade: (token: CreatedToken) => void;
}

/** Makes a token. */
export function TokenForm({ onClose, onMade }: TokenFormProps) {
  const [draft, setDraft] = useState(NEW_TOKEN);
  const set = (change: Partial<TokenDraft>) => setDraft((before) => ({ ...before, ...change }));
  return (
    <FormDialog
      title="New token"
      send="Make it"
      failed="The token was not made"
      isComplete={draft.verbs.size > 0}
      onSend={() => service.tokens.create(tokenOf(draft)).then(onMade)}
      onClose={onClose}
    >
      <Field label="Name" hint="For readers, and for the audit log">
        <input
          required
          data-first
          autoComplete="off"
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
        />
      </Field>
      <Checks legend="It allows" choices={VERBS} chosen={draft.verbs} onChange={(verbs) => set({ verbs })} />
      <Field label="Terminals">
        <select
          value={draft.reach}
          onChange={({ target }) => set({ reach: target.value as TokenDraft['reach'] })}
        >
          <option value="all">all</option>
          <option value="labels">those with labels</option>
          <option value="own">those that are created with it</option>
        </select>
      </Field>
      {draft.reach === 'labels' && (
        <Field label="Labels" hint="such as team=a,role=test; what it creates gets them">
          <input
            required
            spellCheck={false}
            autoComplete="off"
            value={draft.selector}
            onChange={({ target }) => set({ selector: target.value })}
          />
        </Field>
      )}
      <Field label="Lasts">
        <select value={draft.lifeMs} onChange={({ target }) => set({ lifeMs: Number(target.value) })}>
          {LIVES.map(([words, ms]) => (
            <option key={ms} value={ms}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Most terminals" hint="That it may have running at once; empty: no limit">
        <input
          type="number"
          min={0}
          max={10_000}
          value={draft.maxTerminals}
          onChange={({ target }) => set({ maxTerminals: target.value })}
        />
      </Field>
    </FormDialog>
  );
}
