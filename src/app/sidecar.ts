import type { Logger } from 'pino';
import { Sidecar } from '../actors/sidecar/sidecar.js';
import type { ApplyChange } from '../config/live-config.js';
import type { Config } from '../config/settings.js';
import type { SidecarSettings } from '../contract/sidecar.js';
import type { Dashboard } from '../gateway/dashboard/dashboard.js';
import { type Binding, hostFor, type Listener } from '../gateway/listen.js';
import { dashboardBinding } from './dashboard.js';

const ENTRY = new URL('../../mcp/main.js', import.meta.url);

export function createSidecar(env: NodeJS.ProcessEnv, logger: Logger): Sidecar {
  return new Sidecar({ entry: ENTRY, env, logger });
}

/** Returns where the API listens. */
export function apiBinding({ network }: Config): Binding {
  return { port: network.port, host: hostFor(network.expose) };
}

/** Returns where the tool server listens; undefined when it is off. */
export function mcpBinding({ network, mcp }: Config): Binding | undefined {
  return mcp.enabled ? { port: mcp.port, host: hostFor(network.expose) } : undefined;
}

export interface SidecarFacts {
  config: Config;
  instanceId: string;
  /** Origin of the API. */
  apiUrl: string;
  /** Where the dashboard listens; undefined while it does not, whatever the settings say. */
  pages: Binding | undefined;
}

/** Returns the settings for the tool server; undefined when it is off. */
export function sidecarSettings({
  config,
  instanceId,
  apiUrl,
  pages,
}: SidecarFacts): SidecarSettings | undefined {
  const { network, mcp, access } = config;
  const binding = mcpBinding(config);
  return (
    binding && {
      ...binding,
      ...{ apiUrl, instanceId, token: network.authToken },
      allowedOrigins: network.allowedOrigins,
      localUsers: network.localUsers,
      dashboardPort: pages?.port ?? 0,
      sessionIdleMs: mcp.sessionIdleMs,
      isGuarded: access.mode === 'guarded',
    }
  );
}

/**
 * Starts the tool server for the first time. An abort of `stopping` stops it, so that the start does not wait for it.
 */
export async function startSidecar(
  sidecar: Sidecar,
  settings: SidecarSettings | undefined,
  stopping: AbortSignal | undefined,
): Promise<void> {
  if (stopping?.aborted) return;
  const stop = () => void sidecar.stop();
  stopping?.addEventListener('abort', stop);
  try {
    await sidecar.apply(settings);
  } finally {
    // From here on `App.stop` stops it, after the requests that its calls wait for have been answered.
    stopping?.removeEventListener('abort', stop);
  }
}

export interface Movable {
  listener: Listener;
  dashboard: Pick<Dashboard, 'binding' | 'apply'>;
  sidecar: Sidecar;
  instanceId: string;
}

/**
 * Returns a function that applies changed settings outside of this process: it moves the API and the
 * dashboard to their ports and addresses, then sends the tool server its settings, which include the origin of the API.
 * It applies all or nothing.
 */
export function moveBy({ listener, dashboard, sidecar, instanceId }: Movable): ApplyChange {
  return async (config) => {
    const { binding } = listener;
    const { settings } = sidecar;
    const before = dashboard.binding;
    const moveBack = async () => {
      try {
        await dashboard.apply(before);
        await listener.move(binding);
      } finally {
        // The dashboard may have lost its port to another program, whose pages the tool server must not trust.
        await sidecar.apply(settings && { ...settings, dashboardPort: dashboard.binding?.port ?? 0 });
      }
    };
    await listener.move(apiBinding(config));
    try {
      await dashboard.apply(dashboardBinding(config));
      await sidecar.apply(
        sidecarSettings({ config, instanceId, apiUrl: listener.url, pages: dashboard.binding }),
      );
    } catch (error) {
      await moveBack();
      throw error;
    }
    return moveBack;
  };
}
