import type { Logger } from 'pino';
import { createProfiles, type Profiles } from '../actors/profiles.js';
import { ShardReports } from '../actors/shard-reports.js';
import { Shards } from '../actors/shards.js';
import { shellEnvironment } from '../actors/shell-environment.js';
import { Terminals } from '../actors/terminals.js';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import type { HostConnection } from '../workers/pty-host/host-client.js';
import type { State } from './state.js';

export interface EngineParts {
  config: LiveConfig;
  paths: Paths;
  instanceId: string;
  /** The environment that shells inherit from. */
  env: NodeJS.ProcessEnv;
  state: State;
  connectHost: () => Promise<HostConnection>;
  /** Origin of the API, for programs in terminals; asked when one is created. */
  apiUrl: () => string;
  onFatal: (reason: Error) => void;
  logger: Logger;
}

/** The terminals, and what is asked about their shards. */
export interface RunningEngine {
  terminals: Terminals;
  profiles: Profiles;
  shardReports: ShardReports;
}

/** Starts the engine and adopts the terminals that are there; whatever follows terminals follows them from then on. */
export async function startEngine(parts: EngineParts): Promise<RunningEngine> {
  const { config, paths, instanceId, env, state, connectHost, apiUrl, onFatal, logger } = parts;
  const { canvas, layout, recordings, search } = state;
  const shardReports = new ShardReports();
  const profiles = createProfiles({
    env,
    platform: process.platform,
    shellsFile: '/etc/shells',
    defaultProfile: () => config.current.terminals.defaultProfile,
    custom: state.custom,
  });
  const terminals = await Terminals.start({
    profiles,
    environment: (profile, request, terminalId) =>
      shellEnvironment({
        serviceEnv: env,
        profileEnv: profile.env,
        requestEnv: request.env,
        terminalId,
        apiUrl: apiUrl(),
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
    startShards: (callbacks) => {
      const { shards: count, scrollback } = config.current.terminals;
      const isFeeding = () => config.current.search.index;
      const socketPath = paths.hostSocket;
      return shardReports.follow(
        new Shards({ count, scrollback, socketPath, instanceId, isFeeding, logger, ...callbacks }),
      );
    },
    onGaveUp: onFatal,
    logger,
  });
  // With no wait since the adoption: nothing has happened to a terminal yet that they would miss.
  recordings.follow(terminals);
  search.keepCursorsOf(terminals.list('all').map(({ id }) => id));
  terminals.subscribe((event) => search.onEvent(event));
  for (const follower of [layout, canvas]) {
    follower.reconcile(terminals.list('all'));
    terminals.subscribe((event) => follower.onEvent(event));
  }
  return { terminals, profiles, shardReports };
}
