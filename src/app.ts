import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Terminals } from './actors/terminals.js';
import type { WebhookTimes } from './actors/webhooks/webhook-sender.js';
import { createDashboard, dashboardBinding } from './app/dashboard.js';
import { startEngine } from './app/engine.js';
import { openFleet } from './app/fleet.js';
import { hostConnector } from './app/host.js';
import { createLive } from './app/live.js';
import { modeOf } from './app/mode.js';
import { ServiceFile } from './app/service-file.js';
import { createServices } from './app/services.js';
import { followSettings } from './app/settings-changes.js';
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
import { withoutFlags } from './config/flags.js';
import type { LiveConfig } from './config/live-config.js';
import type { Paths } from './config/paths.js';
import { DomainError } from './contract/errors.js';
import { PORT_RELEASE_MS } from './contract/limits.js';
import { VERSION } from './contract/version.js';
import { ApiSocket } from './gateway/api-socket.js';
import { FleetRequests } from './gateway/fleet-requests.js';
import { isServed } from './gateway/guard.js';
import { ensurePortIsFree, Listener } from './gateway/listen.js';
import { systemLocalUsers } from './gateway/local-users/system.js';
import { registerRoutes } from './gateway/routes/all.js';
import { createGateway, guardPolicyOf } from './gateway/server.js';
import { endClients, registerWebSocket } from './gateway/ws/socket.js';

export interface AppOptions {
  config: LiveConfig;
  /** Paths whose folders must exist. */
  paths: Paths;
  /** The environment that shells inherit from. */
  env: NodeJS.ProcessEnv;
  /** Arguments with which the service was started. */
  args: readonly string[];
  /** The systemd unit of the pty host; undefined if the service starts its host itself. */
  hostUnit?: string | undefined;
  logger: Logger;
  /** Called when something that the service depends on has failed for good. */
  onFatal: (reason: Error) => void;
  /** Folder of the dashboard's pages; the built ones by default. */
  dashboardFolder?: string;
  /** Times of webhooks; by default the times in the limits. */
  webhookTimes?: WebhookTimes;
  /** Folder with the memory of the machine, `meminfo` and `pressure/memory`; `/proc` by default. */
  memoryFolder?: string;
  /** Aborted when the service must stop. A start in progress then does not wait for the tool server. */
  stopping?: AbortSignal;
}

/** The running service. */
export interface App {
  /** Origin of the API. */
  url: string;
  /** Endpoint of the tool server; undefined while it does not listen. */
  mcpUrl: string | undefined;
  /** Origin of the dashboard; undefined while it does not listen. */
  dashboardUrl: string | undefined;
  instanceId: string;
  terminals: Terminals;
  /** Tells clients that the service stops, closes all terminals, and resolves once everything has ended. */
  stop(): Promise<void>;
  /**
   * Tells clients that the service restarts, and resolves once the next service can start. The caller must then end
   * the process, as a crash would: terminals, runs and recordings go on in the next service.
   */
  handOver(): Promise<void>;
}

/**
 * Composes and starts the service: pty host, state on disk, shards, adoption of existing terminals, gateway. Rejects
 * with PortTakenError, DomainError `port-taken`, HostBusy, HostProtocolMismatch or ConfigError; the caller must then
 * end the process. The pty host outlives it only if it has terminals.
 */
export async function startApp(options: AppOptions): Promise<App> {
  const { config, paths, env, args, hostUnit, logger, onFatal, stopping, webhookTimes } = options;
  const instanceId = randomUUID();
  const dashboard = await createDashboard({ config, instanceId, logger, folder: options.dashboardFolder });
  const pages = dashboard.isBuilt ? dashboardBinding(config.current) : undefined;
  for (const binding of [apiBinding(config.current), mcpBinding(config.current), pages]) {
    if (binding) await ensurePortIsFree(binding, PORT_RELEASE_MS, stopping);
  }
  const fleet = () => ({ ...reached, requests: fleetRequests });
  const machines = await openFleet({ config, paths, env, logger, parts: fleet });
  const connectHost = await hostConnector({ config, paths, instanceId, unit: hostUnit, logger });
  const state = await openState({
    ...{ config, paths, logger, webhookTimes },
    terminals: () => terminals,
    screens: () => engine.screens,
  });
  const tmux = createTmux({ config, paths, env, logger });
  const apiUrl = () => listener.url;
  const ending = new AbortController();
  const engine = await startEngine({
    ...{ config, paths, instanceId, env, state, tmux, apiUrl, onFatal, logger },
    connectHost: tmux.hostedBy(connectHost),
    agentOf: (id) => agents.glimpse(id),
    stopping: ending.signal,
    memoryFolder: options.memoryFolder,
  });
  const { terminals, attached, access } = engine;

  const live = createLive({ ...engine, machines, logger });
  const { fanOut } = live;
  const sidecar = createSidecar(env, logger);
  const { services, agents, reached, events } = createServices({
    ...{ config, instanceId, tmux, state, engine, fanOut, sidecar, dashboard, machines, logger },
    stopping: ending.signal,
    linesFolder: paths.linesFolder,
    listener: () => listener,
  });
  // Subscribed last: when a client hears of a terminal, every other part already knows that terminal.
  terminals.subscribe((event) => fanOut.deliver(event));
  terminals.onFrame((frame) => fanOut.frame(frame));
  // After the fan-out: a client learns that the terminal has ended, and then that it is detached.
  terminals.subscribe((event) => attached.onEvent(event));
  attached.giveBackAll();

  let tellRefusing = () => {};
  const refusing = new Promise<void>((resolve) => {
    tellRefusing = resolve;
  });
  const users = systemLocalUsers((err) =>
    logger.warn({ err }, 'the user of a connection could not be determined'),
  );
  const gateway = createGateway({
    ...{ users, dashboard },
    access: { access, terminalOf: ({ raw }) => services.callers.terminalOf(raw.socket) },
    audit: { audit: state.audit, who: (request) => services.writers.who(request) },
    config: () => config.current,
    coming: () => config.coming,
    instanceId,
    logger,
    registerWebSocket: (app) =>
      registerWebSocket(app, {
        ...{ ...live, terminals, attached, machines, logger },
        ...{ writers: services.writers, leases: terminals.gate },
        mode: () => modeOf(config.current),
      }),
    registerRoutes: (app) => {
      registerRoutes(app, services);
      // After the hooks that answer waiting requests, since hooks run in the order in which they were added.
      app.addHook('preClose', async () => tellRefusing());
    },
  });
  const fleetRequests = new FleetRequests(gateway);
  const listener = new Listener(
    gateway,
    (socket) =>
      dashboard.isServed(socket) &&
      isServed(socket, guardPolicyOf(config.current, dashboard.binding?.port), users),
  );
  const atSocket = { app: gateway, users, callers: services.callers, logger };
  const { apiSocket: path } = paths;
  const socket = path === undefined ? undefined : new ApiSocket({ ...atSocket, path });
  const serviceFile = new ServiceFile({
    path: paths.serviceFile,
    facts: () => ({
      ...{ pid: process.pid, args: withoutFlags(args, config.replacedFlags) },
      ...{ url: listener.url, mcp: sidecar.url ?? null },
      dashboard: dashboard.url ?? null,
      ...{ socket: socket?.path ?? null, version: VERSION, instanceId },
    }),
    logger,
  });
  async function open(): Promise<void> {
    await listener.open(apiBinding(config.current));
    await socket?.open();
    await dashboard.apply(dashboardBinding(config.current));
    state.search.warmUp();
    config.applyBy(moveBy({ listener, dashboard, sidecar, instanceId }));
    followSettings({ config, state, terminals, events, serviceFile });
    const reach = { apiUrl: listener.url, pages: dashboard.binding };
    await startSidecar(sidecar, sidecarSettings({ config: config.current, instanceId, ...reach }), stopping);
    await serviceFile.write();
    await machines.start();
  }
  /** Closes the listeners that closing the gateway leaves open. */
  function closeDoors(): void {
    socket?.close();
    listener.stopSecond();
    dashboard.stop();
  }
  await open().catch(async (error: unknown) => {
    closeDoors();
    // Another program has taken a port meanwhile. Existing terminals live on, as after a crash.
    if (terminals.list('all').length === 0) {
      await terminals
        .shutdown()
        .catch((err: Error) => logger.warn({ err }, 'the pty host could not be ended'));
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
    get dashboardUrl() {
      return dashboard.url;
    },
    instanceId,
    terminals,
    handOver: async () => {
      closeDoors();
      state.audit.settle();
      await state.prompts.stop();
      await machines.stop({ isHubKept: true });
      await serviceFile.remove();
      gateway.server.close();
      await Promise.all([endClients(gateway), sidecar.stop()]);
      gateway.server.closeAllConnections();
    },
    stop: async () => {
      // Before the pty host is released: after that the files may belong to the next service.
      closeDoors();
      await serviceFile.remove();
      await machines.stop();
      const closed = gateway.close();
      ending.abort(new DomainError('shutting-down'));
      // Waiting clients must hear that the service stops, not that their terminals are gone.
      await refusing;
      await state.recordings.stopAll();
      const terminalsClosed = terminals.shutdown();
      // Waits for the answers first, so that the tool server knows why its calls end and can report it to its clients.
      await Promise.race([closed, terminalsClosed]);
      const sidecarStopped = sidecar.stop();
      await terminalsClosed;
      // A client that sends its request slowly could otherwise hold the gateway open for as long as it likes.
      gateway.server.closeAllConnections();
      await Promise.all([closed, sidecarStopped]);
      events.stop();
      await state.close();
    },
  };
}
