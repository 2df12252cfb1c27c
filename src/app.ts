import { randomUUID } from 'node:crypto';
import { availableParallelism, hostname } from 'node:os';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { Canvas } from './actors/canvas/canvas.js';
import { CustomProfiles } from './actors/custom-profiles.js';
import { Layout } from './actors/layout/layout.js';
import { processTable } from './actors/processes/platform.js';
import { Processes } from './actors/processes/processes.js';
import { createProfiles } from './actors/profiles.js';
import { Recordings } from './actors/recordings/recordings.js';
import { SearchIndex } from './actors/search/search-index.js';
import { Shards } from './actors/shards.js';
import { shellEnvironment } from './actors/shell-environment.js';
import { System } from './actors/system.js';
import { Terminals } from './actors/terminals.js';
import type { LiveConfig } from './config/live-config.js';
import type { Paths } from './config/paths.js';
import type { Config } from './config/settings.js';
import { type Binding, ensurePortIsFree, Listener } from './gateway/listen.js';
import { registerRoutes, type Services } from './gateway/routes/all.js';
import { createGateway } from './gateway/server.js';
import { FanOut } from './gateway/ws/fan-out.js';
import { registerWebSocket } from './gateway/ws/socket.js';
import { openStore } from './store/lmdb-store.js';
import { SearchStore } from './store/search/search-store.js';
import { JobPool } from './workers/jobs/pool.js';
import { connectOrStartHost } from './workers/pty-host/start-host.js';

/** The welcome frame's `mode`: reachable from this machine only, or from others with the token. */
const modeOf = ({ network }: Config) => (network.expose ? 'exposed' : 'local');

function bindingOf({ network }: Config): Binding {
  return { port: network.port, exposed: network.expose };
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
  await ensurePortIsFree(bindingOf(config.current));
  const connectHost = await hostOf({ config, paths, instanceId });

  const store = await openStore(paths.storeFolder, logger);
  const custom = new CustomProfiles(store);
  const profiles = createProfiles({
    env,
    platform: process.platform,
    shellsFile: '/etc/shells',
    defaultProfile: () => config.current.terminals.defaultProfile,
    custom,
  });
  const jobs = new JobPool();
  const recordings = await Recordings.load({ folder: paths.recordingsFolder, jobs, logger });
  // Threads of its own: two long exports must not hold up a search.
  const searchJobs = new JobPool();
  const search = new SearchIndex({
    store: await SearchStore.open({
      folder: paths.searchFolder,
      maxBytes: () => config.current.search.maxBytes,
      logger,
    }),
    jobs: searchJobs,
    isEnabled: () => config.current.search.index,
    settleFeeds: async () => (await terminals.shards).settle(),
    logger,
  });
  const canvas = new Canvas({ store, logger });
  const layout = new Layout({
    store,
    logger,
    onMoved: (id, tabId) =>
      terminals.move(id, tabId).catch((err: Error) => {
        logger.warn({ err, terminal: id }, 'the new tab of a terminal was not kept');
      }),
  });
  const terminals = await Terminals.start({
    profiles,
    environment: (profile, request, terminalId) =>
      shellEnvironment({
        serviceEnv: env,
        profileEnv: profile.env,
        requestEnv: request.env,
        terminalId,
        apiUrl: listener.url,
      }),
    tabFor: (request) => {
      canvas.check(request);
      return layout.tabFor(request);
    },
    openPlan: (id, mayIndex) => ({
      recording: recordings.planOf(id),
      index: mayIndex ? search.planFor(id) : undefined,
    }),
    keepExitedMs: () => config.current.terminals.keepExitedMs,
    connectHost,
    startShards: (callbacks) =>
      new Shards({
        count: config.current.terminals.shards,
        socketPath: paths.hostSocket,
        instanceId,
        scrollback: config.current.terminals.scrollback,
        isFeeding: () => config.current.search.index,
        logger,
        ...callbacks,
      }),
    onGaveUp: onFatal,
    logger,
  });
  recordings.follow(terminals);
  search.keepCursorsOf(terminals.list('all').map(({ id }) => id));
  terminals.subscribe((event) => search.onEvent(event));
  // Before the fan-out: a client that is told of a terminal finds it in its place.
  for (const follower of [layout, canvas]) {
    follower.reconcile(terminals.list('all'));
    terminals.subscribe((event) => follower.onEvent(event));
  }
  const fanOut = new FanOut(terminals, (err) =>
    logger.warn({ err }, 'a shard did not serve the live stream'),
  );
  terminals.subscribe((event) => fanOut.deliver(event));

  const cores = availableParallelism();
  const services: Services = {
    terminals,
    processes: new Processes({
      table: processTable(process.platform, cores),
      terminals: () => terminals.running(),
      agents: () => config.current.agents,
      cores,
    }),
    system: new System({ platform: process.platform, arch: process.arch, hostname: hostname(), env }),
    profiles: { profiles, custom },
    recordings,
    search,
    layout,
    canvas,
    settings: {
      settings: config,
      onAnswered: () => {
        if (!config.current.network.expose) listener.dropRemote();
      },
    },
    config: () => config.current,
    instanceId,
  };
  const gateway = createGateway({
    config: () => config.current,
    logger,
    registerWebSocket: (app) =>
      registerWebSocket(app, { terminals, fanOut, mode: () => modeOf(config.current), logger }),
    registerRoutes: (app) => registerRoutes(app, services),
  });
  const listener = new Listener(gateway);
  await listener.open(bindingOf(config.current));
  config.applyBy(async (next) => listener.move(bindingOf(next)));
  config.onChanged(() => void terminals.shards.then((shards) => shards.feed()));

  return {
    get url() {
      return listener.url;
    },
    instanceId,
    terminals,
    stop: async () => {
      const closed = gateway.close();
      await recordings.stopAll();
      await terminals.shutdown();
      // A request that is still being sent would hold the gateway open for as long as its client likes.
      gateway.server.closeAllConnections();
      await closed;
      await layout.settled();
      await search.close();
      await Promise.all([jobs.close(), searchJobs.close()]);
      await store.close();
    },
  };
}

/**
 * Connects to the pty host before any file of the state folder is opened: it is the host that refuses a second
 * service. What it gives is used for the first connection, and makes another when that is lost.
 */
async function hostOf({
  config,
  paths,
  instanceId,
}: Pick<AppOptions, 'config' | 'paths'> & { instanceId: string }) {
  const connect = async () => {
    const { host } = await connectOrStartHost({
      socketPath: paths.hostSocket,
      logFile: join(paths.dataFolder, 'pty-host.log'),
      instanceId,
      orphanMs: config.current.terminals.orphanMs,
      entry: new URL('./workers/pty-host/main.js', import.meta.url),
    });
    return host;
  };
  const connections = [await connect()];
  return async () => connections.pop() ?? connect();
}
