import type { Verdict } from './groups.js';

const MARKS: Record<Verdict, { shape: string; word: string; status: string }> = {
  running: { shape: '●', word: 'running', status: 'working' },
  failed: { shape: '✕', word: 'failed', status: 'failed' },
  differs: { shape: '≠', word: 'differs', status: 'waiting' },
  unknown: { shape: '◌', word: 'unknown', status: 'waiting' },
  same: { shape: '=', word: 'same', status: 'idle' },
};

/** A verdict by shape, colour and word. */
export function VerdictMark({ verdict }: { verdict: Verdict }) {
  const { shape, word, status } = MARKS[verdict];
  return (
    <span className={`status status-${status}`}>
      <span aria-hidden="true">{shape}</span> {word}
    </span>
  );
}
