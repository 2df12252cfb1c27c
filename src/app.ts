import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Terminals } from './actors/terminals.js';
import { startEngine } from './app/engine.js';
import { hostConnector } from './app/host.js';
import { createServices } from './app/services.js';
import {
  apiBinding,
  createSidecar,
  mcpBinding,
  moveBy,
  sidecarSettings,
  startSidecar,
} from './app/sidecar.js';
import { openState } from './app/state.js';
import { createTmux } from './app/tmux.js';
import type { LiveConfig } from './config/live-config.js';
import type { Paths } from './config/paths.js';
import type { Config } from './config/settings.js';
import { DomainError } from './contract/errors.js';
import { PORT_RELEASE_MS } from './contract/limits.js';
import { isServed } from './gateway/guard.js';
import { ensurePortIsFree, Listener } from './gateway/listen.js';
import { systemLocalUsers } from './gateway/local-users/system.js';
import { registerRoutes } from './gateway/routes/all.js';
import { createGateway, guardPolicyOf } from './gateway/server.js';
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
  /** Aborted once the service is to stop: a start does not wait for what is not needed to stop it. */
  stopping?: AbortSignal;
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
 * gateway. What was started is stopped in reverse. Rejects with PortTakenError, DomainError `port-taken`, HostBusy,
 * HostProtocolMismatch or ConfigError; the process is to end then, and leaves a pty host only where it has terminals.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, paths, env, logger, onFatal, stopping } = options;
  const instanceId = randomUUID();
  for (const binding of [apiBinding(config.current), mcpBinding(config.current)]) {
    if (binding) await ensurePortIsFree(binding, PORT_RELEASE_MS);
  }
  const connectHost = await hostConnector({ config, paths, instanceId });
  const state = await openState({
    ...{ config, paths, logger },
    terminals: () => terminals,
    screens: () => engine.screens,
  });
  const tmux = createTmux({ config, paths, env, logger });
  const apiUrl = () => listener.url;
  const engine = await startEngine({
    ...{ config, paths, instanceId, env, state, tmux, connectHost, apiUrl, onFatal, logger },
  });
  const { terminals } = engine;

  const fanOut = new FanOut(terminals, (err) =>
    logger.warn({ err }, 'a shard did not serve the live stream'),
  );
  const ending = new AbortController();
  const sidecar = createSidecar(env, logger);
  const services = createServices({
    ...{ config, instanceId, tmux, state, engine, fanOut, sidecar, logger },
    stopping: ending.signal,
    linesFolder: paths.linesFolder,
    listener: () => listener,
  });
  // Last of all who follow terminals: a client that is told of one finds it in its place everywhere.
  terminals.subscribe((event) => fanOut.deliver(event));

  let tellRefusing = () => {};
  const refusing = new Promise<void>((resolve) => {
    tellRefusing = resolve;
  });
  const users = systemLocalUsers((err) => logger.warn({ err }, "a connection's user could not be looked up"));
  const gateway = createGateway({
    users,
    config: () => config.current,
    coming: () => config.coming,
    instanceId,
    logger,
    registerWebSocket: (app) =>
      registerWebSocket(app, { terminals, fanOut, mode: () => modeOf(config.current), logger }),
    registerRoutes: (app) => {
      registerRoutes(app, services);
      // Behind the hooks by which routes answer those who wait.
      app.addHook('preClose', async () => tellRefusing());
    },
  });
  const listener = new Listener(gateway, (socket) => isServed(socket, guardPolicyOf(config.current), users));
  async function open(): Promise<void> {
    await listener.open(apiBinding(config.current));
    state.search.warmUp();
    config.applyBy(moveBy({ listener, sidecar, instanceId }));
    const feed = () => void terminals.shards.then((shards) => shards.feed());
    config.onChanged(feed);
    state.disk.onChanged(feed);
    const settings = sidecarSettings({ config: config.current, instanceId, apiUrl: listener.url });
    await startSidecar(sidecar, settings, stopping);
  }
  await open().catch(async (error: unknown) => {
    // Another program was faster to take a port. Terminals that are there live on, as after a crash.
    if (terminals.list('all').length === 0) {
      await terminals.shutdown().catch((err: Error) => logger.warn({ err }, 'a pty host was left behind'));
    }
    throw error;
  });

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
      ending.abort(new DomainError('shutting-down'));
      // Those who wait are told that the service stops, not that their terminals are gone.
      await refusing;
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
