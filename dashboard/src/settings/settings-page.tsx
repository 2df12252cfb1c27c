import { wordsOf } from '../service.js';
import '../style/settings.css';
import { AgentRules } from './agent-rules.js';
import { ConnectionStatus } from './connection.js';
import { Exposure } from './exposure.js';
import { Network } from './network.js';
import { Profiles } from './profiles.js';
import { RecordingSettings } from './recordings.js';
import { SearchSettings } from './search.js';
import { TerminalSettings } from './terminals.js';
import { Token } from './token.js';
import { useSettings } from './use-settings.js';

/** The settings of the service. */
export default function SettingsPage() {
  const { settings, error } = useSettings();
  if (!settings) {
    return <main className="empty">{error ? `The settings could not be read: ${wordsOf(error)}` : '…'}</main>;
  }
  return (
    <main className="settings">
      <h1>Settings</h1>
      <ConnectionStatus settings={settings} />
      <Exposure settings={settings} />
      <Token settings={settings} />
      <Network settings={settings} />
      <TerminalSettings settings={settings} />
      <Profiles />
      <AgentRules settings={settings} />
      <RecordingSettings settings={settings} />
      <SearchSettings settings={settings} />
      <p className="about">
        <a href="/licenses.txt">Licences of the libraries in these pages</a>
      </p>
    </main>
  );
}
