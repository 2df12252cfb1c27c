import { useQuery } from '@tanstack/react-query';
import type { SettingsAnswer } from '../../../src/client/browser.js';
import { useFleet } from '../fleet/fleet-store.js';
import { service } from '../service.js';
import { Section } from './section.js';

const CHECK_MS = 5_000;
const APP = 'auto-terminal';

/** The state of the connection, and facts about the service. */
export function ConnectionStatus({ settings }: { settings: SettingsAnswer }) {
  const link = useFleet((state) => state.link);
  const { data: health, isError } = useQuery({
    queryKey: ['health', link],
    queryFn: ({ signal }) => service.health({ signal }),
    refetchInterval: CHECK_MS,
  });
  const state = isError ? 'offline' : health && health.app !== APP ? 'conflict' : link;
  const { network, mcp, dashboard } = settings;
  const address = network.expose ? 'every address of this machine' : 'this machine alone';
  return (
    <Section title="Connection">
      <table className="facts">
        <tbody>
          <tr>
            <th scope="row">Service</th>
            <td className={`link link-${state}`}>
              {state === 'conflict' ? 'conflict: another program answers at this address' : state}
            </td>
          </tr>
          <tr>
            <th scope="row">Version</th>
            <td>{health?.version ?? '…'}</td>
          </tr>
          <tr>
            <th scope="row">Instance</th>
            <td>
              <code>{health?.instanceId ?? '…'}</code>
            </td>
          </tr>
          <tr>
            <th scope="row">API</th>
            <td>
              port {network.port}, for {address}
            </td>
          </tr>
          <tr>
            <th scope="row">Tools (MCP)</th>
            <td>{mcp.enabled ? `port ${mcp.port}, for ${address}` : 'off'}</td>
          </tr>
          <tr>
            <th scope="row">Dashboard</th>
            <td>{dashboard.enabled ? `port ${dashboard.port}, for ${address}` : 'off'}</td>
          </tr>
        </tbody>
      </table>
      {settings.restartRequired.length > 0 && (
        <p className="note">
          Takes effect at the next start: <code>{settings.restartRequired.join(', ')}</code>
        </p>
      )}
    </Section>
  );
}
