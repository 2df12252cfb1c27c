import type { ReactNode } from 'react';
import '../style/ask-dialog.css';
import { Dialog } from './dialog.js';

interface AskDialogProps {
  title: string;
  children?: ReactNode;
  /** Choices in order. Enter alone cancels. */
  choices: ReadonlyArray<[words: string, action: () => void]>;
  onClose: () => void;
}

/** Asks before something is done. Closing the dialog does nothing. */
export function AskDialog({ title, children, choices, onClose }: AskDialogProps) {
  return (
    <Dialog title={title} onClose={onClose} className="ask-dialog">
      <div className="dialog-body">{children}</div>
      <footer>
        {choices.map(([words, action]) => (
          <button
            key={words}
            type="button"
            onClick={() => {
              onClose();
              action();
            }}
          >
            {words}
          </button>
        ))}
        <button type="button" data-first onClick={onClose}>
          Cancel
        </button>
      </footer>
    </Dialog>
  );
}
