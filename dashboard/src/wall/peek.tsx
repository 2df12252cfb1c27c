import { useFleet } from '../fleet/fleet-store.js';
import { plainLabel } from '../fleet/words.js';
import { useLooking } from '../looked/use-looking.js';
import { Dialog } from '../parts/dialog.js';
import { LiveScreen } from '../screens/live-screen.js';

interface PeekProps {
  terminalId: string;
  onClose: () => void;
  onOpen: (id: string) => void;
}

/** A terminal in a large size, to look at and no more. */
export function Peek({ terminalId, onClose, onOpen }: PeekProps) {
  const terminal = useFleet((state) => state.terminals.get(terminalId));
  useLooking(terminalId);
  if (!terminal) return null;
  return (
    <Dialog title={plainLabel(terminal.name)} onClose={onClose} className="peek">
      <LiveScreen terminalId={terminalId} fps={10} priority={3} />
      <footer>
        <button type="button" onClick={() => onOpen(terminalId)}>
          Open
        </button>
      </footer>
    </Dialog>
  );
}
