import { useMemo, useState } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

const byName = new Intl.Collator(undefined, { numeric: true });

/** Begins to record a terminal. */
export function StartRecording({ onStarted }: { onStarted: () => void }) {
  const terminals = useFleet((state) => state.terminals);
  const [id, setId] = useState('');
  const running = useMemo(
    () =>
      [...terminals.values()]
        .filter(({ status }) => status !== 'exited')
        .sort((a, b) => byName.compare(a.name, b.name)),
    [terminals],
  );
  const start = async () => {
    if (
      await attempt(
        'The recording could not be started',
        service.terminals.get(id).record({ include_marks: true }),
      )
    )
      onStarted();
  };
  return (
    <form
      className="recordings-start"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <label>
        terminal{' '}
        <select value={id} onChange={({ target }) => setId(target.value)}>
          <option value="">choose</option>
          {running.map((terminal) => (
            <option key={terminal.id} value={terminal.id}>
              {plainLabel(terminal.name)}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" disabled={!terminals.has(id)}>
        Record
      </button>
    </form>
  );
}
