import { DeniedError } from '../../../src/client/browser.js';
import { wordsOf } from '../service.js';

/** A note in place of a part that could not be read, or that this login may not see. */
export function Fault({ what, error }: { what: string; error: unknown }) {
  return (
    <p className="fault" role="alert">
      {error instanceof DeniedError && error.status === 403
        ? `${what}: this login may not see it. Only a token with the verb admin, or the service's own token, may.`
        : `${what} could not be read: ${wordsOf(error)}`}
    </p>
  );
}
