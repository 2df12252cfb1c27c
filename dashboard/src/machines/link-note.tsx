import type { FleetStatus } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';

/** The reason why this machine reaches no other; nothing while it does, or is in no fleet. */
export function LinkNote({ status: { role, link, reason } }: { status: FleetStatus }) {
  if (role === 'none' || link === 'connected') return null;
  return (
    <p className="fault" role="status">
      {link === 'refused' ? (
        <>
          The hub does not know this machine any more, as after a removal. After{' '}
          <code>auto-terminal fleet leave</code> it can join anew.
        </>
      ) : (
        'This machine does not reach the hub, and so no other machine; it tries again by itself.'
      )}
      {reason !== null && ` ${plainLabel(reason)}`}
    </p>
  );
}
