import type { Logger } from 'pino';
import { Sidecar } from '../actors/sidecar/sidecar.js';
import type { ApplyChange } from '../config/live-config.js';
import type { Config } from '../config/settings.js';
import type { SidecarSettings } from '../contract/sidecar.js';
import { type Binding, hostFor, type Listener } from '../gateway/listen.js';

const ENTRY = new URL('../../mcp/main.js', import.meta.url);

export function createSidecar(env: NodeJS.ProcessEnv, logger: Logger): Sidecar {
  return new Sidecar({ entry: ENTRY, env, logger });
}

/** Where the API listens. */
export function apiBinding({ network }: Config): Binding {
  return { port: network.port, host: hostFor(network.expose) };
}

/** Where the tool server listens; undefined when it is off. */
export function mcpBinding({ network, mcp }: Config): Binding | undefined {
  return mcp.enabled ? { port: mcp.port, host: hostFor(network.expose) } : undefined;
}

export interface SidecarFacts {
  config: Config;
  instanceId: string;
  /** Origin of the API. */
  apiUrl: string;
}

/** What the tool server is to run with; undefined when it is off. */
export function sidecarSettings({ config, instanceId, apiUrl }: SidecarFacts): SidecarSettings | undefined {
  const { network, mcp, dashboard } = config;
  const binding = mcpBinding(config);
  return (
    binding && {
      ...binding,
      ...{ apiUrl, instanceId, token: network.authToken },
      allowedOrigins: network.allowedOrigins,
      localUsers: network.localUsers,
      dashboardPort: dashboard.enabled ? dashboard.port : 0,
      sessionIdleMs: mcp.sessionIdleMs,
    }
  );
}

/** Has it run for the first time. Once `stopping` is aborted nobody waits for it any more. */
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
    // Later it is stopped in its order: after what its calls wait for.
    stopping?.removeEventListener('abort', stop);
  }
}

export interface Movable {
  listener: Listener;
  sidecar: Sidecar;
  instanceId: string;
}

/**
 * Has changed settings take effect where they reach beyond this process: the API's port and address, then the tool
 * server, which is told of those. Both or none.
 */
export function moveBy({ listener, sidecar, instanceId }: Movable): ApplyChange {
  return async (config) => {
    const { binding } = listener;
    const { settings } = sidecar;
    await listener.move(apiBinding(config));
    try {
      await sidecar.apply(sidecarSettings({ config, instanceId, apiUrl: listener.url }));
    } catch (error) {
      await listener.move(binding);
      throw error;
    }
    return async () => {
      await listener.move(binding);
      await sidecar.apply(settings);
    };
  };
}
