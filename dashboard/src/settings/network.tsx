import type { SettingsAnswer } from '../../../src/client/browser.js';
import { Field, Section } from './section.js';
import { useDraft } from './use-draft.js';
import { changeSettings } from './use-settings.js';

const MAX_PORT = 65_535;

interface PortInputProps {
  value: number;
  onChange: (port: number) => void;
  id?: string;
}

function PortInput({ value, onChange, id }: PortInputProps) {
  return (
    <input
      id={id}
      type="number"
      min={0}
      max={MAX_PORT}
      required
      value={value}
      onChange={({ target }) => onChange(target.valueAsNumber)}
    />
  );
}

/** Ports, and the other machines and users that may use the API. */
export function Network({ settings }: { settings: SettingsAnswer }) {
  const { network, mcp, dashboard } = settings;
  const draft = useDraft({
    api: network.port,
    mcp: mcp.port,
    isMcp: mcp.enabled,
    dashboard: dashboard.port,
    origins: network.allowedOrigins.join('\n'),
    localUsers: network.localUsers,
  });
  const { values, set } = draft;
  const save = async () => {
    const { api, origins, localUsers, mcp: mcpPort, isMcp, dashboard: dashboardPort } = draft.changed;
    // Only changed settings are sent: the value shown for another may come from a flag at the start.
    const isTaken = await changeSettings({
      network: {
        ...(api !== undefined && { port: api }),
        ...(localUsers !== undefined && { localUsers }),
        ...(origins !== undefined && { allowedOrigins: origins.split(/\s+/).filter(Boolean) }),
      },
      mcp: {
        ...(mcpPort !== undefined && { port: mcpPort }),
        ...(isMcp !== undefined && { enabled: isMcp }),
      },
      ...(dashboardPort !== undefined && { dashboard: { port: dashboardPort } }),
    });
    if (isTaken) draft.clear();
  };
  return (
    <Section
      title="Ports and clients"
      about="A new port of the dashboard takes this page's address away: open it again at the new one."
      onSave={save}
      isChanged={draft.isChanged}
    >
      <Field label="API port">
        <PortInput value={values.api} onChange={(port) => set('api', port)} />
      </Field>
      <Field label="Tool server (MCP)">
        <input
          type="checkbox"
          checked={values.isMcp}
          onChange={({ target }) => set('isMcp', target.checked)}
        />
      </Field>
      <Field label="Its port">
        <PortInput value={values.mcp} onChange={(port) => set('mcp', port)} />
      </Field>
      <Field label="Dashboard port">
        <PortInput value={values.dashboard} onChange={(port) => set('dashboard', port)} />
      </Field>
      <Field
        label="Other origins"
        hint="Pages that may use the API, one a line, such as https://tools.example"
      >
        <textarea
          rows={2}
          value={values.origins}
          spellCheck={false}
          onChange={({ target }) => set('origins', target.value)}
        />
      </Field>
      <Field
        label="Users of this machine"
        hint="Who is served while the service is not open to other machines"
      >
        <select
          value={values.localUsers}
          onChange={({ target }) => set('localUsers', target.value as typeof values.localUsers)}
        >
          <option value="own">the service's own user, and root</option>
          <option value="any">all users</option>
        </select>
      </Field>
    </Section>
  );
}
