import { copyText } from '../parts/copy.js';
import { Dialog } from '../parts/dialog.js';

interface SecretDialogProps {
  title: string;
  secret: string;
  /** Words on the purpose of the secret. */
  children: React.ReactNode;
  onClose: () => void;
}

/** Shows a secret that the service returns only once. */
export function SecretDialog({ title, secret, children, onClose }: SecretDialogProps) {
  return (
    <Dialog title={title} onClose={onClose}>
      <div className="dialog-body">
        <p>
          <code className="secret">{secret}</code>
        </p>
        <p>
          <strong>It is shown this once.</strong> {children}
        </p>
      </div>
      <footer>
        <button type="button" data-first onClick={() => void copyText(secret)}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          I have it
        </button>
      </footer>
    </Dialog>
  );
}
