import { useQuery } from '@tanstack/react-query';
import type { SettingsAnswer } from '../../../src/client/browser.js';
import { service } from '../service.js';
import { Field, Section } from './section.js';
import { useDraft } from './use-draft.js';
import { changeSettings } from './use-settings.js';

const MINUTE_MS = 60_000;

interface NumberInputProps {
  id?: string;
  'aria-describedby'?: string;
  value: number;
  max?: number;
  onChange: (value: number) => void;
}

function NumberInput({ onChange, ...rest }: NumberInputProps) {
  return (
    <input
      {...rest}
      type="number"
      min={0}
      required
      onChange={({ target }) => onChange(target.valueAsNumber)}
    />
  );
}

/** Settings of creating and keeping terminals. */
export function TerminalSettings({ settings }: { settings: SettingsAnswer }) {
  const { terminals } = settings;
  const { data: profiles = [] } = useQuery({
    queryKey: ['profiles'],
    queryFn: ({ signal }) => service.profiles.list({ signal }),
  });
  const draft = useDraft({
    defaultProfile: terminals.defaultProfile ?? '',
    backend: terminals.backend,
    shellIntegration: terminals.shellIntegration,
    scrollback: terminals.scrollback,
    keepMinutes: terminals.keepExitedMs / MINUTE_MS,
    nice: terminals.nice,
  });
  const { values, set } = draft;
  const save = async () => {
    const { defaultProfile, keepMinutes, ...rest } = draft.changed;
    const isTaken = await changeSettings({
      terminals: {
        ...rest,
        ...(defaultProfile !== undefined && { defaultProfile: defaultProfile || null }),
        ...(keepMinutes !== undefined && { keepExitedMs: Math.round(keepMinutes * MINUTE_MS) }),
      },
    });
    if (isTaken) draft.clear();
  };
  return (
    <Section
      title="Terminals"
      about="Holds for terminals that are created from now on."
      onSave={save}
      isChanged={draft.isChanged}
    >
      <Field label="Default profile">
        <select value={values.defaultProfile} onChange={({ target }) => set('defaultProfile', target.value)}>
          <option value="">the user's shell</option>
          {profiles.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Backend" hint="Terminals in tmux can also be attached to by tmux">
        <select
          value={values.backend}
          onChange={({ target }) => set('backend', target.value as typeof values.backend)}
        >
          <option value="pty">PTYs of the service</option>
          <option value="tmux">tmux</option>
        </select>
      </Field>
      <Field label="Shell integration" hint="Shells report their commands and exit codes">
        <input
          type="checkbox"
          checked={values.shellIntegration}
          onChange={({ target }) => set('shellIntegration', target.checked)}
        />
      </Field>
      <Field label="Scrollback" hint="lines">
        <NumberInput value={values.scrollback} onChange={(value) => set('scrollback', value)} />
      </Field>
      <Field label="Keep exited terminals" hint="minutes">
        <NumberInput value={values.keepMinutes} onChange={(value) => set('keepMinutes', value)} />
      </Field>
      <Field
        label="Nice value"
        hint="Keeps the service responsive beside busy programs; 0 leaves them as they are"
      >
        <NumberInput value={values.nice} max={19} onChange={(value) => set('nice', value)} />
      </Field>
    </Section>
  );
}
