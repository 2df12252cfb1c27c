import { ApiError, type ReachedMachine } from '../../../src/client/browser.js';
import { Age } from '../parts/age.js';
import { wordsOf } from '../service.js';
import { nameOf } from './machine-words.js';

interface RemoteStateProps {
  machine: ReachedMachine;
  /** Reason why it cannot be shown; undefined before the first try. */
  error: unknown;
  onAgain: () => void;
}

/** The reason why the terminal cannot be shown, with advice. */
export function RemoteState({ machine, error, onAgain }: RemoteStateProps) {
  const name = nameOf(machine);
  if (!machine.online) {
    return (
      <div className="remote-state">
        <div role="alert">
          <h2>{name} cannot be reached</h2>
        </div>
        <p>
          <Seen at={machine.lastSeenAt} /> The terminal opens by itself once it is back.
        </p>
      </div>
    );
  }
  const code = error instanceof ApiError ? error.code : undefined;
  return (
    <div className="remote-state" role="alert">
      {code === 'not-granted' ? (
        <NotGranted name={name} error={error} />
      ) : (
        <Failed code={code} error={error} />
      )}
      <button type="button" onClick={onAgain}>
        Try again
      </button>
    </div>
  );
}

function Seen({ at }: { at: number | null | undefined }) {
  if (at === null || at === undefined) return <>It was never seen.</>;
  return (
    <>
      It was seen <Age since={at} /> ago.
    </>
  );
}

function NotGranted({ name, error }: { name: string; error: unknown }) {
  // A person there may just have denied it, or not have answered.
  const [, why] = (error instanceof Error ? error.message : '').split('not granted: ');
  return (
    <>
      <h2>{name} does not let this machine see this terminal</h2>
      {why !== undefined && <p>The answer was: {why}.</p>}
      <p>
        A person at {name} can allow it, on its page Machines or by a command there, where NAME is this
        machine: <code>auto-terminal fleet grant NAME observe,type</code>
      </p>
    </>
  );
}

function Failed({ code, error }: { code: string | undefined; error: unknown }) {
  return (
    <>
      <h2>
        {code === 'terminal-not-found'
          ? 'The terminal is not there any more'
          : 'The terminal cannot be shown'}
      </h2>
      {code !== 'terminal-not-found' && <p>{wordsOf(error)}</p>}
    </>
  );
}
