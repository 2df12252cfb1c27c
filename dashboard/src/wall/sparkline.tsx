import { outputHistory } from '../fleet/output-history.js';
import { useNow } from '../fleet/use-now.js';
import { barsOf, HEIGHT, WIDTH } from './bars.js';

/** A terminal's output of the last minute, a bar for each two seconds. */
export function Sparkline({ terminalId }: { terminalId: string }) {
  const bars = useNow((now) => barsOf(outputHistory.of(terminalId, now)));
  return (
    <svg className="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <title>Output of the last minute. A full bar is 1 MB or more in two seconds, half a bar 1 kB.</title>
      <path d={bars} />
    </svg>
  );
}
