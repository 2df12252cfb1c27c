import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Terminals } from './actors/terminals.js';
import { startEngine } from './app/engine.js';
import { hostConnector } from './app/host.js';
import { createServices } from './app/services.js';
import { apiBinding, createSidecar, mcpBinding, moveBy, sidecarSettings } from './app/sidecar.js';
import { openState } from './app/state.js';
import type { LiveConfig } from './config/live-config.js';
import type { Paths } from './config/paths.js';
import type { Config } from './config/settings.js';
import { ensurePortIsFree, Listener } from './gateway/listen.js';
import { registerRoutes } from './gateway/routes/all.js';
import { createGateway } from './gateway/server.js';
import { FanOut } from './gateway/ws/fan-out.js';
import { registerWebSocket } from './gateway/ws/socket.js';

/** The welcome frame's `mode`: reachable from this machine only, or from others with the token. */
function modeOf({ network }: Config): string {
  return network.expose ? 'exposed' : 'local';
}

export interface AppOptions {
  config: LiveConfig;
  /** Their folders are there. */
  paths: Paths;
  /** The environment that shells inherit from. */
  env: NodeJS.ProcessEnv;
  logger: Logger;
  /** Something the service cannot go on without has failed for good. */
  onFatal: (reason: Error) => void;
}

/** The running service. */
export interface App {
  /** Origin of the API. */
  url: string;
  /** Endpoint of the tool server; undefined while nobody listens there. */
  mcpUrl: string | undefined;
  instanceId: string;
  terminals: Terminals;
  /** Tells clients, closes all terminals, and resolves when nothing is left. */
  stop(): Promise<void>;
}

/**
 * Composes the service and starts it: pty host, what is on disk, shards, adoption of the terminals that are there,
 * gateway. What was started is stopped in reverse. Rejects with PortTakenError, HostBusy, HostProtocolMismatch or
 * ConfigError.
 */
export async function startApp({ config, paths, env, logger, onFatal }: AppOptions): Promise<App> {
  const instanceId = randomUUID();
  for (const binding of [apiBinding(config.current), mcpBinding(config.current)]) {
    if (binding) await ensurePortIsFree(binding);
  }
  const connectHost = await hostConnector({ config, paths, instanceId });
  const state = await openState({
    ...{ config, paths, logger },
    terminals: () => terminals,
    screens: () => engine.screens,
  });
  const apiUrl = () => listener.url;
  const engine = await startEngine({
    ...{ config, paths, instanceId, env, state, connectHost, apiUrl, onFatal, logger },
  });
  const { terminals } = engine;

  const fanOut = new FanOut(terminals, (err) =>
    logger.warn({ err }, 'a shard did not serve the live stream'),
  );
  const sidecar = createSidecar(env, logger);
  const services = createServices({
    ...{ config, instanceId, env, state, engine, fanOut, sidecar, logger },
    listener: () => listener,
  });
  // Last of all who follow terminals: a client that is told of one finds it in its place everywhere.
  terminals.subscribe((event) => fanOut.deliver(event));

  const gateway = createGateway({
    config: () => config.current,
    coming: () => config.coming,
    instanceId,
    logger,
    registerWebSocket: (app) =>
      registerWebSocket(app, { terminals, fanOut, mode: () => modeOf(config.current), logger }),
    registerRoutes: (app) => registerRoutes(app, services),
  });
  const listener = new Listener(gateway);
  await listener.open(apiBinding(config.current));
  state.search.warmUp();
  config.applyBy(moveBy({ listener, sidecar, instanceId }));
  config.onChanged(() => void terminals.shards.then((shards) => shards.feed()));
  await sidecar.apply(sidecarSettings({ config: config.current, instanceId, apiUrl: listener.url }));

  return {
    get url() {
      return listener.url;
    },
    get mcpUrl() {
      return sidecar.url;
    },
    instanceId,
    terminals,
    stop: async () => {
      const closed = gateway.close();
      await state.recordings.stopAll();
      const terminalsClosed = terminals.shutdown();
      // Once everybody has been answered: the tool server then knows why its calls end, and tells its clients.
      await Promise.race([closed, terminalsClosed]);
      const sidecarStopped = sidecar.stop();
      await terminalsClosed;
      // A request that is still being sent would hold the gateway open for as long as its client likes.
      gateway.server.closeAllConnections();
      await closed;
      await sidecarStopped;
      await state.close();
    },
  };
}
