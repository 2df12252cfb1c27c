import { useState } from 'react';
import type { SettingsAnswer } from '../../../src/client/browser.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { attempt, say } from '../parts/toasts.js';
import { service } from '../service.js';
import { Field, Section } from './section.js';
import { useDraft } from './use-draft.js';
import { changeSettings } from './use-settings.js';

const MIB = 1024 * 1024;

/** The part of the terminals' output that is kept for the search, and a button that clears it. */
export function SearchSettings({ settings }: { settings: SettingsAnswer }) {
  const [isAsking, setAsking] = useState(false);
  const draft = useDraft({
    index: settings.search.index,
    redact: settings.search.redact,
    mebibytes: Math.round(settings.search.maxBytes / MIB),
  });
  const { values, set } = draft;
  const save = async () => {
    const search = { index: values.index, redact: values.redact, maxBytes: values.mebibytes * MIB };
    if (await changeSettings({ search })) draft.clear();
  };
  const clear = async () => {
    if (await attempt('The index was not cleared', service.clearSearch())) say('The index is empty');
  };
  return (
    <>
      <Section title="Search" onSave={save} isChanged={draft.isChanged}>
        <Field label="Index output and input">
          <input
            type="checkbox"
            checked={values.index}
            onChange={({ target }) => set('index', target.checked)}
          />
        </Field>
        <Field label="Leave out secrets" hint="in what is indexed from now on">
          <input
            type="checkbox"
            checked={values.redact}
            onChange={({ target }) => set('redact', target.checked)}
          />
        </Field>
        <Field label="At most" hint="MiB; the oldest text makes room">
          <input
            type="number"
            min={1}
            required
            value={values.mebibytes}
            onChange={({ target }) => set('mebibytes', target.valueAsNumber)}
          />
        </Field>
      </Section>
      <p>
        <button type="button" onClick={() => setAsking(true)}>
          Clear the index…
        </button>
      </p>
      {isAsking && (
        <AskDialog title="Clear the index?" choices={[['Clear', clear]]} onClose={() => setAsking(false)}>
          <p>Nothing that was printed or typed until now can be found afterwards.</p>
        </AskDialog>
      )}
    </>
  );
}
