import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { Field } from '../settings/section.js';
import type { GrantDraft } from './machine-words.js';

interface GrantedTerminalsProps {
  draft: Pick<GrantDraft, 'reach' | 'selector' | 'ids'>;
  onChange: (change: Partial<GrantDraft>) => void;
}

/** Terminals that a grant covers. */
export function GrantedTerminals({ draft: { reach, selector, ids }, onChange }: GrantedTerminalsProps) {
  return (
    <>
      <Field label="Terminals">
        <select
          value={reach}
          onChange={({ target }) => onChange({ reach: target.value as GrantDraft['reach'] })}
        >
          <option value="all">all, those to come too</option>
          <option value="labels">those with labels</option>
          <option value="some">chosen ones</option>
        </select>
      </Field>
      {reach === 'labels' && (
        <Field label="Labels" hint="such as team=a,role=test; those to come too">
          <input
            required
            spellCheck={false}
            autoComplete="off"
            value={selector}
            onChange={({ target }) => onChange({ selector: target.value })}
          />
        </Field>
      )}
      {reach === 'some' && <Choice ids={ids} onChange={(chosen) => onChange({ ids: chosen })} />}
    </>
  );
}

interface ChoiceProps {
  ids: ReadonlySet<string>;
  onChange: (ids: ReadonlySet<string>) => void;
}

function Choice({ ids, onChange }: ChoiceProps) {
  const terminals = useFleet((state) => state.terminals);
  const running = [...terminals.values()].filter(({ status }) => status === 'running');
  const toggle = (id: string, isOn: boolean) =>
    onChange(new Set([...ids].filter((each) => each !== id).concat(isOn ? [id] : [])));
  return (
    <fieldset className="granted-choice">
      <legend className="hint">
        {running.length === 0 ? 'No terminal runs here' : `${ids.size.toLocaleString()} chosen`}
      </legend>
      {running.map(({ id, name }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={ids.has(id)}
            onChange={({ target }) => toggle(id, target.checked)}
          />{' '}
          {plainLabel(name)}
        </label>
      ))}
    </fieldset>
  );
}
