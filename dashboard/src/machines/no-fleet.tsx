import type { FleetStatus } from '../../../src/client/browser.js';
import { plainLabel } from '../fleet/words.js';
import { copyText } from '../parts/copy.js';

/** A command to paste into a shell. */
function Command({ children: text }: { children: string }) {
  return (
    <p className="machine-command">
      <code>{text}</code>
      <button type="button" onClick={() => void copyText(text)}>
        Copy<span className="unseen"> {text}</span>
      </button>
    </p>
  );
}

/** Instructions for joining a fleet, and the outcome of an attempt to join. */
export function NoFleet({ status: { joining } }: { status: FleetStatus }) {
  return (
    <div className="machines-text">
      {joining && <Joining joining={joining} />}
      <p>
        This machine is in no fleet. In a fleet you see and use terminals of several machines from each of
        them, as far as each allows it. By itself a machine allows nothing.
      </p>
      <h2>To make a fleet with this machine as its hub</h2>
      <p>
        It needs <code>nats-server</code> (2.9.10 or later), and an address by which the others reach it:
      </p>
      <Command>sudo apt install nats-server</Command>
      <Command>auto-terminal fleet init --address hub.example</Command>
      <p>Then this page invites machines, and lets them in.</p>
      <h2>To join a fleet</h2>
      <p>
        At its hub, <code>auto-terminal fleet invite</code> or the page Machines makes a code. Here:
      </p>
      <Command>auto-terminal fleet join at1-...</Command>
      <p>Both machines show four words then. A person at the hub compares them and lets this machine in.</p>
    </div>
  );
}

const JOINING_WORDS = {
  waiting: 'A person there has to compare these words and let this machine in:',
  denied: 'A person there has denied it. The words were:',
  ended: 'Nobody has let it in in time, or the hub has gone. The words were:',
} as const;

function Joining({ joining: { words, hub, state } }: { joining: NonNullable<FleetStatus['joining']> }) {
  return (
    <section className="waiting" aria-label="Joining">
      <p>
        This machine asks {plainLabel(hub.deviceName)} to let it join. {JOINING_WORDS[state]}
      </p>
      <p className="waiting-words">{words}</p>
    </section>
  );
}
