import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import '../style/settings.css';
import { wordsOfFailure } from '../service.js';
import { Dialog } from './dialog.js';
import { noteRefusal } from './queries.js';
import { say } from './toasts.js';

interface FormDialogProps {
  title: string;
  /** Words of the button that sends the form. */
  send: string;
  /** What has not been done if the service refuses it. */
  failed: string;
  /** Whether the form can be sent. */
  isComplete?: boolean;
  /** Does what the form says; rejects with the service's refusal. */
  onSend: () => Promise<unknown>;
  onClose: () => void;
  /** Called once the service has taken the form, unless it was closed before; closes it by default. */
  onSent?: () => void;
  children: ReactNode;
}

/**
 * A form in a dialog. It is sent once at a time, closes once the service has taken it, and says in itself why the service
 * has not: a toast would be behind it.
 */
export function FormDialog(props: FormDialogProps) {
  const { title, send, failed, isComplete = true, onSend, onClose, onSent = onClose, children } = props;
  const isSending = useRef(false);
  const isShown = useRef(false);
  const [fault, setFault] = useState<string>();
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    // A disabled button would lose the focus.
    if (isSending.current || !isComplete) return;
    isSending.current = true;
    setFault(undefined);
    try {
      await onSend();
      if (isShown.current) onSent();
    } catch (error) {
      noteRefusal(error);
      const words = wordsOfFailure(failed, error);
      if (isShown.current) setFault(words);
      else say(words, true);
    } finally {
      isSending.current = false;
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="dialog-body" onSubmit={submit}>
        {children}
        <p role="alert" className="exit-bad">
          {fault}
        </p>
        <p className="buttons">
          <button type="submit" disabled={!isComplete}>
            {send}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </p>
      </form>
    </Dialog>
  );
}
