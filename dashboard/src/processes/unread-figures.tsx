import { useState } from 'react';

interface UnreadFiguresProps {
  known: number;
  total: number;
  onRead: () => Promise<void>;
}

/** A note that the order by a figure leaves out terminals whose figure has not been read, with a button that reads it. */
export function UnreadFigures({ known, total, onRead }: UnreadFiguresProps) {
  const [isReading, setReading] = useState(false);
  if (known >= total) return null;
  const read = () => {
    setReading(true);
    void onRead().then(() => setReading(false));
  };
  return (
    <p className="processes-unread" role="status">
      Sorted by the figures of {known.toLocaleString()} of {total.toLocaleString()} terminals: only those that
      were in view have been read.{' '}
      <button type="button" onClick={read} disabled={isReading}>
        {isReading ? 'Reading' : 'Read all'}
      </button>
    </p>
  );
}
