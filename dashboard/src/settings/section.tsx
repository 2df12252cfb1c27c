import { cloneElement, type FormEvent, type ReactElement, type ReactNode, useId } from 'react';

interface SectionProps {
  title: string;
  /** Effect of the section, in a sentence. */
  about?: string;
  children: ReactNode;
  /** Saves what was changed; without it the section has no button. */
  onSave?: () => void;
  isChanged?: boolean;
}

/** A part of the settings, saved by itself. */
export function Section({ title, about, children, onSave, isChanged = false }: SectionProps) {
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSave?.();
  };
  return (
    <section className="settings-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {about && <p className="about">{about}</p>}
      {onSave ? (
        <form onSubmit={submit}>
          {children}
          <button type="submit" disabled={!isChanged}>
            Save
          </button>
        </form>
      ) : (
        children
      )}
    </section>
  );
}

interface FieldProps {
  label: string;
  /** Meaning of the value. */
  hint?: string;
  /** The control, which takes `id` and `aria-describedby`. */
  children: ReactElement<{ id?: string; 'aria-describedby'?: string }>;
}

/** A setting with its label. */
export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}hint`;
  return (
    <div className="field">
      <label className="field-label" htmlFor={id}>
        {label}
      </label>
      <span className="field-value">
        {cloneElement(children, { id, ...(hint && { 'aria-describedby': hintId }) })}
        {hint && (
          <span className="hint" id={hintId}>
            {hint}
          </span>
        )}
      </span>
    </div>
  );
}
