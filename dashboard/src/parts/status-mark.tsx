import type { Status } from '../fleet/status.js';

const SHAPES: Record<Status, string> = {
  waiting: '◆',
  failed: '✕',
  working: '●',
  running: '◐',
  idle: '○',
  exited: '◌',
};

const WORDS: Record<Status, string> = {
  waiting: 'waits',
  failed: 'failed',
  working: 'working',
  running: 'running',
  idle: 'idle',
  exited: 'exited',
};

/** A status by shape, colour and, unless only the shape fits, word. */
export function StatusMark({ status, word = true }: { status: Status; word?: boolean }) {
  return (
    <span className={`status status-${status}`}>
      <span aria-hidden="true">{SHAPES[status]}</span>
      {word ? ` ${WORDS[status]}` : <span className="unseen">{WORDS[status]}</span>}
    </span>
  );
}
