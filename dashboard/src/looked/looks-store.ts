import { create } from 'zustand';
import { useFleet } from '../fleet/fleet-store.js';
import { readStored, writeStored } from '../parts/stored.js';
import { service } from '../service.js';
import { type Look, type Looks, lookOf, withLook, withoutGone } from './looks.js';

const KEY = 'auto-terminal.looks';

interface LooksState extends Looks {
  /** Terminal that a person looks at in this window now. */
  present: string | undefined;
}

const first: Looks = { begun: Date.now(), of: {} };
const stored = readStored(KEY, first);
if (stored.begun === first.begun) writeStored(KEY, stored);

/** Latest looks at terminals, shared by all windows of this browser. */
export const useLooks = create<LooksState>(() => ({ ...stored, present: undefined }));

addEventListener('storage', ({ key }) => {
  if (key === KEY) useLooks.setState(readStored(KEY, first));
});

/** Changes the stored looks, which another window may have changed. */
function change(next: (looks: Looks) => Looks): void {
  const { terminals, link } = useFleet.getState();
  const looks = next(readStored(KEY, useLooks.getState()));
  // Before the terminals are listed, all of them would seem to be gone.
  const kept = link === 'healthy' ? withoutGone(looks, (id) => terminals.has(id)) : looks;
  writeStored(KEY, { begun: kept.begun, of: kept.of });
  useLooks.setState({ begun: kept.begun, of: kept.of });
}

export function lastLook(id: string): Look {
  return lookOf(useLooks.getState(), id);
}

/** Notes that a person has looked at a terminal just now. */
export function noteLook(id: string): void {
  change((looks) => withLook(looks, id, { at: Date.now() }));
}

export function noteLooks(ids: Iterable<string>): void {
  const at = Date.now();
  change((looks) => [...ids].reduce((all, id) => withLook(all, id, { at }), looks));
}

/** Notes that a person looks at a terminal from now on. */
export function beginLook(id: string): void {
  useLooks.setState({ present: id });
  noteLook(id);
}

/** Notes that a look in this window has ended, and the cursor at the end of the output. */
export function endLook(id: string): void {
  if (useLooks.getState().present === id) useLooks.setState({ present: undefined });
  noteLook(id);
  const { at } = lastLook(id);
  service.terminals
    .get(id)
    .output({ lines: 1 })
    .then(({ cursor }) => lastLook(id).at === at && change((looks) => withLook(looks, id, { at, cursor })))
    // Without the cursor, the output that is shown as new begins earlier.
    .catch(() => undefined);
}
