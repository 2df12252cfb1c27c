import { useState } from 'react';
import type { SettingsAnswer } from '../../../src/client/browser.js';
import { AskDialog } from '../parts/ask-dialog.js';
import { Section } from './section.js';
import { changeSettings } from './use-settings.js';

/** Whether other machines reach the service. */
export function Exposure({ settings }: { settings: SettingsAnswer }) {
  const [isAsking, setAsking] = useState(false);
  const { expose, port } = settings.network;
  const set = (value: boolean) => changeSettings({ network: { expose: value } });
  return (
    <Section
      title="Other machines"
      about={
        expose
          ? 'Other machines reach the service, and each client must show the access token.'
          : 'Only programs of this machine reach the service.'
      }
    >
      <button type="button" onClick={() => (expose ? set(false) : setAsking(true))}>
        {expose ? 'Close to other machines' : 'Open to other machines…'}
      </button>
      {isAsking && (
        <AskDialog
          title="Open to other machines?"
          choices={[['Open', () => set(true)]]}
          onClose={() => setAsking(false)}
        >
          <p>
            The API (port {port}), the tool server and this dashboard will listen on every address of this
            machine. Each client, this page included, must then show the access token: whoever has it can type
            into all terminals.
          </p>
          <p>
            <strong>Traffic is not encrypted.</strong> Use it in a network that you trust, or through a
            tunnel.
          </p>
        </AskDialog>
      )}
    </Section>
  );
}
