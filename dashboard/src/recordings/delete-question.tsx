import type { RecordingSummary } from '../../../src/client/browser.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

interface DeleteQuestionProps {
  recording: RecordingSummary;
  /** Name of its terminal on the page. */
  name: string;
  onClose: () => void;
  onDeleted: () => void;
}

/** Asks before a recording is deleted, since nothing brings it back. */
export function DeleteQuestion({ recording, name, onClose, onDeleted }: DeleteQuestionProps) {
  const remove = async () => {
    const work = service.recordings.delete(recording.id);
    if (await attempt('The recording could not be deleted', work)) onDeleted();
  };
  return (
    <AskDialog title="Delete the recording?" choices={[['Delete', remove]]} onClose={onClose}>
      <p>
        {name}, {new Date(recording.startTime).toLocaleString()}. It cannot be restored.
      </p>
    </AskDialog>
  );
}
