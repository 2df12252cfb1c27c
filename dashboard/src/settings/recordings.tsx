import type { SettingsAnswer } from '../../../src/client/browser.js';
import { Field, Section } from './section.js';
import { useDraft } from './use-draft.js';
import { changeSettings } from './use-settings.js';

const MIB = 1024 * 1024;

/** The retention of recordings, and the contents of exports. */
export function RecordingSettings({ settings }: { settings: SettingsAnswer }) {
  const { keepDays, maxBytes, redactExports } = settings.recordings;
  const shown = Math.ceil(maxBytes / MIB);
  const draft = useDraft({ keepDays, mebibytes: shown, redactExports });
  const { values, set } = draft;
  const save = async () => {
    // A number of bytes that is no whole number of MiB stays as it is unless a person has typed another number.
    const { mebibytes, ...others } = values;
    const bytes = mebibytes === shown ? maxBytes : mebibytes * MIB;
    const recordings = { ...others, maxBytes: bytes };
    if (await changeSettings({ recordings })) draft.clear();
  };
  return (
    <Section
      title="Recordings"
      about="What is beyond these limits is deleted for good, the oldest first, within a minute."
      onSave={save}
      isChanged={draft.isChanged}
    >
      <Field label="Keep for" hint="days after the end; 0 until you delete them">
        <input
          type="number"
          min={0}
          required
          value={values.keepDays}
          onChange={({ target }) => set('keepDays', target.valueAsNumber)}
        />
      </Field>
      <Field label="At most" hint="MiB of all together; 0 without a limit">
        <input
          type="number"
          min={0}
          required
          value={values.mebibytes}
          onChange={({ target }) => set('mebibytes', target.valueAsNumber)}
        />
      </Field>
      <Field label="Leave out secrets" hint="in exports as text, HTML and asciicast">
        <input
          type="checkbox"
          checked={values.redactExports}
          onChange={({ target }) => set('redactExports', target.checked)}
        />
      </Field>
    </Section>
  );
}
