import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { Access } from '../actors/access/access.js';
import { MemoryFiles } from '../actors/admission/memory-files.js';
import { Attached } from '../actors/attached/attached.js';
import { Captures } from '../actors/captures.js';
import type { AgentGuardOptions } from '../actors/input-gate/agent-guard.js';
import { lifeLog } from '../actors/life-log.js';
import { createProfiles, type Profiles } from '../actors/profiles.js';
import { Screens } from '../actors/screens.js';
import { ShardReports } from '../actors/shard-reports.js';
import { Shards } from '../actors/shards.js';
import { inheritedEnvironment, shellEnvironment } from '../actors/shell-environment.js';
import { integrate } from '../actors/shell-integration/integrate.js';
import { zdotdirForce } from '../actors/shell-integration/system-zshenv.js';
import { Terminals } from '../actors/terminals.js';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import type { State } from './state.js';
import type { RunningTmux } from './tmux.js';

/** Folder of the shell integration in the source tree, from which shells read the scripts: they are not compiled. */
const SHELL_INTEGRATION = fileURLToPath(new URL('../../../src/shell-integration', import.meta.url));

export interface EngineParts extends AgentGuardOptions {
  config: LiveConfig;
  paths: Paths;
  instanceId: string;
  /** The environment that shells inherit from. */
  env: NodeJS.ProcessEnv;
  state: State;
  tmux: Pick<RunningTmux, 'places'>;
  connectHost: () => Promise<HostConnection>;
  /** Returns the origin of the API, for programs in terminals; called when a terminal is created. */
  apiUrl: () => string;
  onFatal: (reason: Error) => void;
  /** Where the files are by which Linux reports its memory; `/proc` by default. */
  memoryFolder?: string | undefined;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  logger: Logger;
}

/** The terminals, and the parts that query their shards. */
export interface RunningEngine {
  terminals: Terminals;
  access: Access;
  screens: Screens;
  attached: Attached;
  captures: Captures;
  profiles: Profiles;
  shardReports: ShardReports;
}

/** Starts the engine, adopts the terminals that the pty host runs, and subscribes the parts that follow terminals. */
export async function startEngine(parts: EngineParts): Promise<RunningEngine> {
  const { config, paths, instanceId, env, state, tmux, connectHost, apiUrl, onFatal, stopping, logger } =
    parts;
  const { canvas, commands, layout, recordings, redaction, search, watches } = state;
  const shardReports = new ShardReports();
  const profiles = createProfiles({
    env,
    platform: process.platform,
    shellsFile: '/etc/shells',
    defaultProfile: () => config.current.terminals.defaultProfile,
    custom: state.custom,
  });
  const inherited = inheritedEnvironment(env);
  const integration = {
    folder: SHELL_INTEGRATION,
    platform: process.platform,
    isZdotdirForced: zdotdirForce(),
  };
  const terminals = await Terminals.start({
    profiles,
    environment: (profile, request, terminalId) =>
      shellEnvironment({
        inherited,
        profileEnv: profile.env,
        requestEnv: request.env,
        terminalId,
        apiUrl: apiUrl(),
      }),
    tabFor: (request) => {
      canvas.check(request);
      return layout.tabFor(request);
    },
    openPlan: (id, { meta, exit }) => ({
      // A terminal that was lost with its pty host has nothing more to record.
      recording: exit?.reason ? undefined : recordings.planOf(id),
      index: meta.index ? search.planFor(id) : undefined,
      commands: commands.planOf(id, meta),
      labels: meta.labels,
    }),
    integrate: (start, nonce, id) =>
      config.current.terminals.shellIntegration
        ? integrate(start, { ...integration, nonce, lines: join(paths.linesFolder, id) })
        : { ...start, shell: null },
    nice: () => config.current.terminals.nice,
    limits: () => config.current.limits.perTerminal,
    tmuxFor: (asked) => tmux.places.placeFor(asked),
    admission: { settings: () => config.current.limits, memory: new MemoryFiles(parts.memoryFolder) },
    noteSecrets: (...asked) => redaction.note(...asked),
    keepExitedMs: () => config.current.terminals.keepExitedMs,
    audit: state.audit.typed,
    inputSettings: () => config.current.input,
    agentOf: parts.agentOf,
    connectHost,
    hostSince: () => sinceOf(paths.hostSocket),
    startShards: (callbacks) => {
      const { shards: count, scrollback } = config.current.terminals;
      const isFeeding = () => search.isFeeding;
      const places = { socketPath: paths.hostSocket, spillFolder: paths.dataFolder };
      const searches = () => watches.searchesAgain();
      const shards = new Shards({
        ...{ count, scrollback, ...places, instanceId, isFeeding, searches, logger, ...callbacks },
      });
      void shards.searchLines(watches.searches());
      return shardReports.follow(shards);
    },
    onGaveUp: onFatal,
    logger,
  });
  // No `await` separates this from the adoption, so no event of a terminal has been missed.
  terminals.subscribe(lifeLog(logger));
  recordings.follow(terminals);
  const isGuarded = () => config.current.access.mode === 'guarded';
  const access = new Access({ ...state.access, terminals, isGuarded });
  terminals.subscribe((event) => access.onEvent(event));
  const ids = terminals.list('all').map(({ id }) => id);
  search.keepCursorsOf(ids);
  commands.keepCommandsOf(ids);
  redaction.keepOf([...ids, ...recordings.terminalIds()]);
  terminals.subscribe((event) => search.onEvent(event));
  terminals.subscribe((event) => commands.onEvent(event));
  for (const follower of [layout, canvas]) {
    follower.reconcile(terminals.list('all'));
    terminals.subscribe((event) => follower.onEvent(event));
  }
  const screens = new Screens(terminals);
  const attached = new Attached({ terminals, stopping, logger });
  const captures = new Captures({ terminals, screens, sizes: attached });
  return { terminals, access, screens, attached, captures, profiles, shardReports };
}

/** Returns since when the pty host listens: it made its socket then. Undefined where its socket is no file. */
function sinceOf(socket: string): Promise<Date | undefined> {
  return stat(socket).then(
    ({ mtime }) => mtime,
    () => undefined,
  );
}
