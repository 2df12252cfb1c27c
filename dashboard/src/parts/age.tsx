import { useNow } from '../fleet/use-now.js';
import { shortSpan } from '../fleet/words.js';

/** How long ago something was, which counts on by itself; the full time on hover. */
export function Age({ since }: { since: number | undefined }) {
  const text = useNow((now) => (since === undefined ? '' : shortSpan(Math.max(0, now - since))));
  if (since === undefined) return null;
  const time = new Date(since);
  return (
    <time className="age" dateTime={time.toISOString()} title={time.toLocaleString()}>
      {text}
    </time>
  );
}
