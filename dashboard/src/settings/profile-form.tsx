import { useState } from 'react';
import type { Profile } from '../../../src/client/browser.js';
import { FormDialog } from '../parts/form-dialog.js';
import { service } from '../service.js';
import { Field } from './section.js';

interface ProfileFormProps {
  /** The profile to change; undefined for a new one. */
  profile: Profile | undefined;
  onClose: () => void;
  onSaved: () => void;
}

/** Returns the variables of lines such as `NAME=value`. */
function environmentOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf('=');
      return at < 0 ? [line, ''] : [line.slice(0, at), line.slice(at + 1)];
    }),
  );
}

/** Makes a profile, or changes one. */
export function ProfileForm({ profile, onClose, onSaved }: ProfileFormProps) {
  const [values, setValues] = useState({
    name: profile?.name ?? '',
    path: profile?.path ?? '',
    args: profile?.args.join('\n') ?? '',
    cwd: profile?.cwd ?? '',
    env: Object.entries(profile?.env ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join('\n'),
  });
  const set = (key: keyof typeof values, value: string) =>
    setValues((before) => ({ ...before, [key]: value }));
  const save = async () => {
    const body = {
      name: values.name,
      path: values.path,
      args: values.args.split('\n').filter((line) => line !== ''),
      cwd: values.cwd === '' ? null : values.cwd,
      env: environmentOf(values.env),
      icon: profile?.icon ?? null,
    };
    await (profile ? service.profiles.replace(profile.id, body) : service.profiles.create(body));
    onSaved();
  };
  return (
    <FormDialog
      title={profile ? 'Change a profile' : 'New profile'}
      send="Save"
      failed="The profile was not saved"
      onSend={save}
      onClose={onClose}
    >
      <Field label="Name">
        <input required value={values.name} onChange={({ target }) => set('name', target.value)} />
      </Field>
      <Field label="Program">
        <input
          required
          spellCheck={false}
          value={values.path}
          onChange={({ target }) => set('path', target.value)}
        />
      </Field>
      <Field label="Arguments" hint="one a line">
        <textarea
          rows={3}
          spellCheck={false}
          value={values.args}
          onChange={({ target }) => set('args', target.value)}
        />
      </Field>
      <Field label="Folder" hint="empty: the home folder">
        <input spellCheck={false} value={values.cwd} onChange={({ target }) => set('cwd', target.value)} />
      </Field>
      <Field label="Environment" hint="NAME=value, one a line">
        <textarea
          rows={3}
          spellCheck={false}
          value={values.env}
          onChange={({ target }) => set('env', target.value)}
        />
      </Field>
    </FormDialog>
  );
}
