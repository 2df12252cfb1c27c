import { type ReactNode, useRef } from 'react';
import '../style/text-dialog.css';
import { copyText } from './copy.js';
import { Dialog } from './dialog.js';

interface TextDialogProps {
  title: string;
  /** The text; undefined until it is loaded. */
  text: string | undefined;
  /** Note on the text, such as that its beginning is missing. */
  note?: ReactNode;
  children?: ReactNode;
  onClose: () => void;
}

/** Text to read, to select and to copy. It is in a field, in which people and screen readers can move by keys. */
export function TextDialog({ title, text, note, children, onClose }: TextDialogProps) {
  const fieldRef = useRef<HTMLTextAreaElement>(null);
  const copy = async () => {
    // The selected text can still be copied by the browser's own key.
    if (!(await copyText(text ?? ''))) fieldRef.current?.select();
  };
  return (
    <Dialog title={title} onClose={onClose} className="text-dialog">
      {note !== undefined && <p className="text-note">{note}</p>}
      <textarea
        ref={fieldRef}
        className="text-field"
        readOnly
        data-first
        aria-label={title}
        aria-busy={text === undefined}
        wrap="off"
        value={text ?? 'Loading'}
      />
      <footer>
        {children}
        <button type="button" disabled={!text} onClick={() => void copy()}>
          Copy
        </button>
      </footer>
    </Dialog>
  );
}
