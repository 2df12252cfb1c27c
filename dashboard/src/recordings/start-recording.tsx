import { useState } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { TerminalSelect } from '../parts/terminal-select.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

/** Begins to record a terminal. */
export function StartRecording({ onStarted }: { onStarted: () => void }) {
  const [id, setId] = useState('');
  const isThere = useFleet((state) => state.terminals.has(id));
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
      <label htmlFor="recorded-terminal">terminal</label>
      <TerminalSelect id="recorded-terminal" none="choose" value={id} onChange={setId} />
      <button type="submit" disabled={!isThere}>
        Record
      </button>
    </form>
  );
}
