import { type FormEvent, useId, useState } from 'react';
import type { QueueOptions } from '../../../src/client/browser.js';
import { Field } from '../settings/section.js';
import { faultOf, NEW_PROMPT, type PromptDraft, queueOptions, WHENS } from './prompt-words.js';

const MAX_PROMPT_CHARS = 65_536;
const MAX_MINUTES = 30 * 24 * 60;

/** Drafts by terminal, kept because a dialog closes by one Escape, or with the connection. */
const drafts = new Map<string, PromptDraft>();

interface PromptFormProps {
  terminalId: string;
  isFirst: boolean;
  /** Resolves with whether the prompt is queued. */
  onQueue: (text: string, options: QueueOptions) => Promise<boolean>;
}

/** Queues a prompt. */
export function PromptForm({ terminalId, isFirst, onQueue }: PromptFormProps) {
  const [draft, setDraft] = useState(drafts.get(terminalId) ?? NEW_PROMPT);
  const [isSending, setSending] = useState(false);
  const id = useId();
  const fault = faultOf(draft);
  const set = (change: Partial<PromptDraft>) => {
    const changed = { ...draft, ...change };
    drafts.set(terminalId, changed);
    setDraft(changed);
  };
  const queue = async (event: FormEvent) => {
    event.preventDefault();
    if (isSending || fault !== undefined) return;
    setSending(true);
    if (await onQueue(draft.text, queueOptions(draft))) set({ ...NEW_PROMPT, when: draft.when });
    setSending(false);
  };
  return (
    <form className="dialog-body" onSubmit={queue} aria-labelledby={id}>
      <h3 id={id}>Queue a prompt</h3>
      <Field
        label="Prompt"
        hint="Ctrl+Enter queues it. It is typed once at most, also after this window has closed"
      >
        <textarea
          required
          rows={4}
          spellCheck={false}
          maxLength={MAX_PROMPT_CHARS}
          data-first={isFirst ? true : undefined}
          readOnly={isSending}
          value={draft.text}
          onChange={({ target }) => set({ text: target.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </Field>
      <Field label="Type it">
        <select
          value={draft.when}
          onChange={({ target }) => set({ when: target.value as PromptDraft['when'] })}
        >
          {WHENS.map(([when, words]) => (
            <option key={when} value={when}>
              {words}
            </option>
          ))}
        </select>
      </Field>
      <Minutes
        label="Not before, in minutes"
        hint="empty: at once"
        value={draft.afterMinutes}
        onChange={(afterMinutes) => set({ afterMinutes })}
      />
      <Minutes
        label="Expires, in minutes"
        hint={fault ?? 'empty: never'}
        value={draft.expiresMinutes}
        onChange={(expiresMinutes) => set({ expiresMinutes })}
      />
      <p className="buttons">
        <button type="submit" disabled={fault !== undefined}>
          {isSending ? 'Queueing…' : 'Queue it'}
        </button>
      </p>
    </form>
  );
}

interface MinutesProps {
  label: string;
  hint: string;
  value: string;
  onChange: (minutes: string) => void;
}

function Minutes({ label, hint, value, onChange }: MinutesProps) {
  return (
    <Field label={label} hint={hint}>
      <input
        type="number"
        min={1}
        max={MAX_MINUTES}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
