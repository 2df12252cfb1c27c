import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createProfiles } from './actors/profiles.js';
import { Shards } from './actors/shards.js';
import { shellEnvironment } from './actors/shell-environment.js';
import { newTabId } from './actors/terminal-record.js';
import { Terminals } from './actors/terminals.js';
import { type Paths, preparePaths } from './config/paths.js';
import type { Config } from './config/settings.js';
import { ensurePortIsFree, listen } from './gateway/listen.js';
import { createGateway } from './gateway/server.js';
import { FanOut } from './gateway/ws/fan-out.js';
import { registerWebSocket } from './gateway/ws/socket.js';
import { connectOrStartHost } from './workers/pty-host/start-host.js';

/** The welcome frame's `mode`: reachable from this machine only. */
const LOCAL_MODE = 'local';

export interface AppOptions {
  config: Config;
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
  instanceId: string;
  terminals: Terminals;
  /** Tells clients, closes all terminals, and resolves when nothing is left. */
  stop(): Promise<void>;
}

/**
 * Composes the service and starts it: pty host, shards, adoption of the terminals that are there, gateway.
 * What was started is stopped in reverse. Rejects with PortTakenError, HostBusy or HostProtocolMismatch.
 */
export async function startApp({ config, paths, env, logger, onFatal }: AppOptions): Promise<App> {
  const instanceId = randomUUID();
  await preparePaths(paths);
  await ensurePortIsFree(config.network.port);

  const profiles = createProfiles({
    env,
    platform: process.platform,
    shellsFile: '/etc/shells',
    defaultProfile: config.terminals.defaultProfile,
  });
  // Known once the gateway listens; no terminal is created before.
  let apiUrl = '';
  const terminals = await Terminals.start({
    profiles,
    environment: (profile, request, terminalId) =>
      shellEnvironment({
        serviceEnv: env,
        profileEnv: profile.env,
        requestEnv: request.env,
        terminalId,
        apiUrl,
      }),
    tabFor: (request) => request.tabId ?? newTabId(),
    keepExitedMs: () => config.terminals.keepExitedMs,
    connectHost: async () => {
      const { host } = await connectOrStartHost({
        socketPath: paths.hostSocket,
        logFile: join(paths.dataFolder, 'pty-host.log'),
        instanceId,
        orphanMs: config.terminals.orphanMs,
        entry: new URL('./workers/pty-host/main.js', import.meta.url),
      });
      return host;
    },
    startShards: (callbacks) =>
      new Shards({
        count: config.terminals.shards,
        socketPath: paths.hostSocket,
        instanceId,
        scrollback: config.terminals.scrollback,
        openPlan: () => ({}),
        logger,
        ...callbacks,
      }),
    onGaveUp: onFatal,
    logger,
  });
  const fanOut = new FanOut(terminals, (err) =>
    logger.warn({ err }, 'a shard did not serve the live stream'),
  );
  terminals.subscribe((event) => fanOut.deliver(event));

  const gateway = createGateway({
    terminals,
    config,
    instanceId,
    logger,
    registerWebSocket: (app) => registerWebSocket(app, { terminals, fanOut, mode: LOCAL_MODE, logger }),
  });
  apiUrl = await listen(gateway, config.network.port);

  return {
    url: apiUrl,
    instanceId,
    terminals,
    stop: async () => {
      const closed = gateway.close();
      await terminals.shutdown();
      // A request that is still being sent would hold the gateway open for as long as its client likes.
      gateway.server.closeAllConnections();
      await closed;
    },
  };
}
