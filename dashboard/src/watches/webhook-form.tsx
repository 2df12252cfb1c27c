import { useState } from 'react';
import type { CreatedWebhook } from '../../../src/client/browser.js';
import { FormDialog } from '../parts/form-dialog.js';
import { service } from '../service.js';
import { Field } from '../settings/section.js';
import { typesOf } from './watch-words.js';

interface WebhookFormProps {
  onClose: () => void;
  onMade: (webhook: CreatedWebhook) => void;
}

const FIRST = { url: '', types: 'agent.* terminal.exited', selector: '', name: '' };

/** Makes a webhook. */
export function WebhookForm({ onClose, onMade }: WebhookFormProps) {
  const [values, setValues] = useState(FIRST);
  const set = (key: keyof typeof values, value: string) =>
    setValues((before) => ({ ...before, [key]: value }));
  const make = () => {
    const { url, types, selector, name } = values;
    const body = {
      url,
      types: typesOf(types),
      ...(selector.trim() !== '' && { selector: selector.trim() }),
      ...(name !== '' && { name }),
    };
    return service.webhooks.create(body).then(onMade);
  };
  return (
    <FormDialog
      title="New webhook"
      send="Make it"
      failed="The webhook was not made"
      onSend={make}
      onClose={onClose}
    >
      <Field label="URL" hint="each event is posted there, signed">
        <input
          type="url"
          required
          data-first
          spellCheck={false}
          autoComplete="off"
          maxLength={2_000}
          value={values.url}
          onChange={({ target }) => set('url', target.value)}
        />
      </Field>
      <Field label="Events" hint="types, with spaces between them; agent.* stands for all of agents">
        <input
          required
          spellCheck={false}
          autoComplete="off"
          value={values.types}
          onChange={({ target }) => set('types', target.value)}
        />
      </Field>
      <Field label="Labels" hint="only of terminals with these; empty: of all">
        <input
          spellCheck={false}
          autoComplete="off"
          value={values.selector}
          onChange={({ target }) => set('selector', target.value)}
        />
      </Field>
      <Field label="Name" hint="for readers; may be empty">
        <input autoComplete="off" value={values.name} onChange={({ target }) => set('name', target.value)} />
      </Field>
    </FormDialog>
  );
}
