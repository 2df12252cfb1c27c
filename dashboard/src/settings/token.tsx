import { useEffect, useState } from 'react';
import type { SettingsAnswer } from '../../../src/client/browser.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { attempt, say } from '../parts/toasts.js';
import { service } from '../service.js';
import { Section } from './section.js';

const REVEALED_MS = 30_000;

/** The access token: masked, and shown, copied or replaced by request. */
export function Token({ settings }: { settings: SettingsAnswer }) {
  const [revealed, setRevealed] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  useEffect(() => {
    if (revealed === undefined) return;
    const hiding = setTimeout(() => setRevealed(undefined), REVEALED_MS);
    return () => clearTimeout(hiding);
  }, [revealed]);

  const read = async () => (await service.settings.get({ reveal: true })).network.authToken;
  const reveal = () => attempt('The token could not be read', read().then(setRevealed));
  const copy = () =>
    attempt(
      'The token was not copied',
      read().then(async (token) => {
        // Pages that another machine opens over http have no clipboard.
        if (!navigator.clipboard)
          throw new Error('this page may not use the clipboard; reveal it and copy it by hand');
        await navigator.clipboard.writeText(token);
        say('Copied');
      }),
    );
  const rotate = async () => {
    if (await attempt('The token was not replaced', service.settings.rotateToken().then(setRevealed)))
      say('The old token is worth nothing now');
  };

  return (
    <Section title="Access token" about="What clients show while the service is open to other machines.">
      <p>
        <code className="token">{revealed ?? settings.network.authToken}</code>
      </p>
      <p className="buttons">
        <button type="button" onClick={() => (revealed === undefined ? reveal() : setRevealed(undefined))}>
          {revealed === undefined ? 'Reveal for 30 s' : 'Hide'}
        </button>
        <button type="button" onClick={copy}>
          Copy
        </button>
        <button type="button" onClick={() => setAsking(true)}>
          Replace…
        </button>
      </p>
      {isAsking && (
        <AskDialog
          title="Replace the access token?"
          choices={[['Replace', rotate]]}
          onClose={() => setAsking(false)}
        >
          <p>
            Every client that uses the present token is refused from its next request on: tool clients,
            command lines of other machines, other browsers. Connections that are open now go on.
          </p>
        </AskDialog>
      )}
    </Section>
  );
}
