import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';

interface WallEmptyProps {
  isListed: boolean;
  hasFilter: boolean;
  onClear: () => void;
}

/** The next step for a person, shown on an empty wall. */
export function WallEmpty({ isListed, hasFilter, onClear }: WallEmptyProps) {
  if (!isListed) return <p className="empty">Connecting…</p>;
  if (hasFilter) {
    return (
      <p className="empty">
        No terminal is like that.{' '}
        <button type="button" onClick={onClear}>
          Show all
        </button>
      </p>
    );
  }
  return (
    <div className="empty">
      <h2>There are no terminals yet</h2>
      <p>
        <button
          type="button"
          onClick={() => attempt('The terminal could not be created', service.terminals.create())}
        >
          New terminal
        </button>
      </p>
      <p>
        Or from a shell: <code>auto-terminal new</code>
      </p>
    </div>
  );
}
