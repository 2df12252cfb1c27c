import { useState } from 'react';
import type { WebhookInfo } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { FormDialog } from '../parts/form-dialog.js';
import { TerminalSelect } from '../parts/terminal-select.js';
import { service } from '../service.js';
import { Field } from '../settings/section.js';
import { NEW_WATCH, type WatchDraft, watchOf } from './watch-words.js';

interface WatchFormProps {
  webhooks: readonly WebhookInfo[];
  onClose: () => void;
  onMade: () => void;
}

/** Makes a watch. */
export function WatchForm({ webhooks, onClose, onMade }: WatchFormProps) {
  const [draft, setDraft] = useState(NEW_WATCH);
  const set = (change: Partial<WatchDraft>) => setDraft((before) => ({ ...before, ...change }));
  const make = () => service.watches.create(watchOf(draft)).then(onMade);
  return (
    <FormDialog
      title="New watch"
      send="Watch"
      failed="The watch was not made"
      onSend={make}
      onClose={onClose}
    >
      <Field
        label="Looks for"
        hint={draft.isRegex ? 'three plain characters in a row at least' : 'within a line'}
      >
        <input
          required
          data-first
          spellCheck={false}
          autoComplete="off"
          maxLength={1_000}
          value={draft.pattern}
          onChange={({ target }) => set({ pattern: target.value })}
        />
      </Field>
      <Field label="As an expression" hint="a regular expression of JavaScript">
        <input
          type="checkbox"
          checked={draft.isRegex}
          onChange={({ target }) => set({ isRegex: target.checked })}
        />
      </Field>
      <Field label="In">
        <select
          value={draft.reach}
          onChange={({ target }) => set({ reach: target.value as WatchDraft['reach'] })}
        >
          <option value="all">all terminals</option>
          <option value="labels">those with labels</option>
          <option value="terminal">one terminal</option>
        </select>
      </Field>
      {draft.reach === 'labels' && (
        <Field label="Labels" hint="such as role=agent">
          <input
            required
            spellCheck={false}
            autoComplete="off"
            value={draft.selector}
            onChange={({ target }) => set({ selector: target.value })}
          />
        </Field>
      )}
      {draft.reach === 'terminal' && (
        <Field label="Terminal">
          <TerminalSelect
            isRequired
            none="choose"
            value={draft.terminal}
            onChange={(terminal) => set({ terminal })}
          />
        </Field>
      )}
      <Field label="Only once" hint="ends with its first match">
        <input
          type="checkbox"
          checked={draft.once}
          onChange={({ target }) => set({ once: target.checked })}
        />
      </Field>
      <Field label="Posts to">
        <select value={draft.webhook} onChange={({ target }) => set({ webhook: target.value })}>
          <option value="">no webhook</option>
          {webhooks.map(({ id, name, url }) => (
            <option key={id} value={id}>
              {plainLabel(name ?? url)}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Types into" hint="once its agent is idle, or its shell is at its prompt">
        <TerminalSelect none="no terminal" value={draft.into} onChange={(into) => set({ into })} />
      </Field>
      {draft.into !== '' && (
        <Field
          label="The line"
          hint="{terminalId} stands for the terminal of the match, {count} for how many"
        >
          <input
            required
            spellCheck={false}
            autoComplete="off"
            maxLength={1_000}
            value={draft.line}
            onChange={({ target }) => set({ line: target.value })}
          />
        </Field>
      )}
      <Field label="Name" hint="for readers; may be empty">
        <input autoComplete="off" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
      </Field>
    </FormDialog>
  );
}
