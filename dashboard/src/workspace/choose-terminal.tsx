import { useState } from 'react';
import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { Dialog } from '../parts/dialog.js';

interface ChooseTerminalProps {
  title: string;
  /** Terminal that cannot be chosen. */
  except: string;
  onChoose: (terminalId: string) => void;
  onClose: () => void;
}

/** Most terminals that are listed. */
const MAX_SHOWN = 100;

/** Asks for a running terminal. */
export function ChooseTerminal({ title, except, onChoose, onClose }: ChooseTerminalProps) {
  const terminals = useFleet((state) => state.terminals);
  const [text, setText] = useState('');
  const found = [...terminals.values()].filter(
    ({ id, name, status }) =>
      id !== except && status === 'running' && name.toLowerCase().includes(text.toLowerCase()),
  );
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body">
        <input
          type="search"
          data-first
          aria-label="Filter by name"
          placeholder="name"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <ul className="choices">
          {found.slice(0, MAX_SHOWN).map(({ id, name }) => (
            <li key={id}>
              <button type="button" onClick={() => onChoose(id)}>
                {plainLabel(name)}
              </button>
            </li>
          ))}
        </ul>
        {found.length === 0 && <p>No running terminal is called so.</p>}
        {found.length > MAX_SHOWN && <p className="hint">and {found.length - MAX_SHOWN} more: type a name</p>}
      </div>
    </Dialog>
  );
}
