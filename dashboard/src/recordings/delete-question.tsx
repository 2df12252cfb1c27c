import type { RecordingSummary } from '../../../src/client/browser.js';
import { Dialog } from '../parts/dialog.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

interface DeleteQuestionProps {
  recording: RecordingSummary;
  /** What the page calls its terminal. */
  name: string;
  onClose: () => void;
  onDeleted: () => void;
}

/** Asks before a recording is deleted, since nothing brings it back. */
export function DeleteQuestion({ recording, name, onClose, onDeleted }: DeleteQuestionProps) {
  const remove = async () => {
    onClose();
    const work = service.recordings.delete(recording.id);
    if (await attempt('The recording could not be deleted', work)) onDeleted();
  };
  return (
    <Dialog title="Delete the recording?" onClose={onClose}>
      <div className="recordings-question">
        <p>
          {name}, {new Date(recording.startTime).toLocaleString()}. It cannot be restored.
        </p>
        <p>
          <button type="button" onClick={onClose}>
            Keep
          </button>{' '}
          <button type="button" onClick={remove}>
            Delete
          </button>
        </p>
      </div>
    </Dialog>
  );
}
