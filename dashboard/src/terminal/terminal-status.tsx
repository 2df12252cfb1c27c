import { counted } from '../parts/counted.js';
import { late } from '../parts/late.js';
import { wordsOfLink } from './links.js';
import { type SessionState, wordsOfPhase } from './session-state.js';

// Loaded later, so that the screen comes first.
const Holder = late(() => import('./holder.js'));

interface TerminalStatusProps {
  /** Id of a terminal of this machine; absent for a terminal of another machine, whose leases are not known here. */
  terminalId?: string;
  state: SessionState;
  isFocused: boolean;
  hovered: string | undefined;
  onAttach: () => void;
}

/** State between the window and the terminal: where the keys go, and whether they arrive. */
export function TerminalStatus({
  terminalId,
  state: { phase, unsent, unknown, refusal },
  isFocused,
  hovered,
  onAttach,
}: TerminalStatusProps) {
  const words = wordsOfPhase(phase);
  const isLive = phase.name === 'live';
  return (
    <div className={`terminal-status phase-${phase.name}`}>
      <span role="status">
        {words}
        {unsent > 0 && (
          <strong className="unsent">
            {' '}
            Not sent: {counted(unsent, 'key')}
            {refusal !== undefined && `: ${refusal}`}
          </strong>
        )}
        {unknown > 0 && (
          <strong className="unsent"> Nobody knows whether {counted(unknown, 'key')} arrived</strong>
        )}
      </span>
      {phase.name === 'detached' && (
        <button type="button" onClick={onAttach}>
          Attach again
        </button>
      )}
      {isLive && (
        <span className={isFocused ? 'chip chip-on' : 'chip'}>
          {isFocused ? 'keys go to the terminal · Esc Esc leaves' : 'keys go to the page · Enter types here'}
        </span>
      )}
      {hovered !== undefined && <code className="link-target">{wordsOfLink(hovered)}</code>}
      {isLive && terminalId !== undefined && <Holder terminalId={terminalId} />}
    </div>
  );
}
