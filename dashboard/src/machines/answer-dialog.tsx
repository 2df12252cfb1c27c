import type { ReactNode } from 'react';
import '../style/ask-dialog.css';
import { Dialog } from '../parts/dialog.js';
import { attempt } from '../parts/toasts.js';
import { fleetAdmin } from './fleet-service.js';
import { refreshFleet } from './use-fleet.js';

interface AnswerDialogProps {
  /** Id of the request. */
  id: string;
  title: string;
  /** Words of the button that says yes. */
  yes: string;
  children: ReactNode;
  onClose: () => void;
}

/** Asks whether to allow a request of another machine. Enter alone denies it, and closing the dialog leaves it waiting. */
export function AnswerDialog({ id, title, yes, children, onClose }: AnswerDialogProps) {
  const answer = async (what: string, work: Promise<unknown>) => {
    onClose();
    await attempt(what, work);
    refreshFleet();
  };
  return (
    <Dialog title={title} onClose={onClose} className="ask-dialog">
      <div className="dialog-body">{children}</div>
      <footer>
        <button type="button" onClick={() => void answer('Not approved', fleetAdmin.approve(id))}>
          {yes}
        </button>
        <button type="button" data-first onClick={() => void answer('Not denied', fleetAdmin.deny(id))}>
          Deny
        </button>
      </footer>
    </Dialog>
  );
}
