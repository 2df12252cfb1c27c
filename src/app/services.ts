import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { AgentWatch } from '../actors/agents/agent-watch.js';
import type { ServiceFeed } from '../actors/event-log/service-feed.js';
import { OutputStreams } from '../actors/output-streams.js';
import { Screenshots } from '../actors/screenshots.js';
import type { Sidecar } from '../actors/sidecar/sidecar.js';
import { Signals } from '../actors/signals.js';
import { System } from '../actors/system.js';
import { TerminalViews } from '../actors/terminal-views.js';
import { Traffic } from '../actors/traffic.js';
import type { LiveConfig } from '../config/live-config.js';
import { Everywhere } from '../fleet/everywhere.js';
import { machineOf } from '../fleet/machine.js';
import type { Machines } from '../fleet/machines.js';
import { Roster } from '../fleet/roster.js';
import { Callers } from '../gateway/callers.js';
import type { Dashboard } from '../gateway/dashboard/dashboard.js';
import type { MachinesPort } from '../gateway/elsewhere.js';
import type { Listener } from '../gateway/listen.js';
import { systemPeers } from '../gateway/local-users/system.js';
import type { Services } from '../gateway/routes/all.js';
import { Writers } from '../gateway/writers.js';
import type { FanOut } from '../gateway/ws/fan-out.js';
import { LoopDelayMeter } from '../workers/loop-delay.js';
import { createAgents } from './agents.js';
import type { RunningEngine } from './engine.js';
import { createFeeds } from './feeds.js';
import type { ReachedParts } from './fleet.js';
import { promptService } from './prompts.js';
import type { State } from './state.js';
import type { RunningTmux } from './tmux.js';
import { createWaits } from './waits.js';
import { watchInputs } from './watch-inputs.js';

export interface ServiceParts {
  config: LiveConfig;
  instanceId: string;
  tmux: Pick<RunningTmux, 'detector'>;
  state: State;
  engine: RunningEngine;
  fanOut: FanOut;
  sidecar: Sidecar;
  dashboard: Dashboard;
  /** Folder through which shells receive the lines of runs, with one subfolder for each terminal, named by its id. */
  linesFolder: string;
  machines: Machines;
  logger: Logger;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  /** Returns the listener. Called only while requests are served, when the listener exists. */
  listener: () => Listener;
}

export interface CreatedServices {
  services: Services & { callers: Callers };
  /** The parts that other machines reach. */
  reached: ReachedParts;
  agents: Pick<AgentWatch, 'glimpse'>;
  /** The feeds of the log of events, which the user of this function stops. */
  events: Pick<ServiceFeed, 'settingsChanged' | 'stop'>;
}

/** Creates the services that the routes call. */
export function createServices(parts: ServiceParts): CreatedServices {
  const { config, instanceId, state, engine, fanOut, sidecar, dashboard } = parts;
  const { terminals, profiles, shardReports } = engine;
  const { custom, operations, recordings, search, commands, layout, canvas } = state;
  const feeds = createFeeds(parts);
  const wasTold = (id: string) => feeds.ofTerminals.hasAgent(id);
  const { processes, agents, looks, table, ...follow } = createAgents({ ...parts, commands, wasTold });
  const { platform, arch } = process;
  const system = new System({
    ...{ platform, arch, hostname: hostname(), tmux: parts.tmux.detector },
    ptyHost: () => terminals.ptyHost,
  });
  const { waits, manyWaits, runs, fleet, places, outcomes, shellParts } = createWaits({
    ...{ ...parts, agents, looks, processes, table, system, events: feeds.ofService },
    otherMachines: () => parts.machines.list().map(machineOf),
    mayMachineRun: (machineId, terminalId) => parts.machines.mayRun(machineId, terminalId),
  });
  const traffic = new Traffic();
  terminals.subscribe((event) => traffic.onEvent(event));
  feeds.ofTerminals.start();
  feeds.ofService.start(runs);
  terminals.subscribe((event) => feeds.ofTerminals.onEvent(event));
  // Its labels may have been the reason why another machine could use the terminal.
  terminals.subscribe(({ type }) => {
    if (type === 'updated') parts.machines.look();
  });
  state.events.onEvent((event) => fanOut.tell(event));
  state.webhooks.start(follow.followByWebhooks);
  state.watches.start({
    terminals,
    isThere: (id) => feeds.ofTerminals.labelsOf(id) !== undefined,
    labelsOf: (id) => feeds.ofTerminals.lastLabelsOf(id),
    inputs: watchInputs({ ...parts, ...shellParts, agents, waits }),
    refuseUnknownWebhook: (id) => void state.webhooks.get(id),
  });
  state.prompts.start(
    promptService({
      ...{ ...shellParts, agents, looks, config, access: engine.access },
      labelsOf: (id) => feeds.ofTerminals.labelsOf(id),
    }),
  );
  let wasGuarded = engine.access.isGuarded;
  const loopDelay = new LoopDelayMeter();
  const callers = new Callers({
    ...{ table, terminals, peers: systemPeers() },
    onFault: (err) => parts.logger.warn({ err }, 'the peer of a unix socket could not be determined'),
  });
  const call: MachinesPort['call'] = (machineId, request, client) =>
    parts.machines.call(machineId, request, client);
  const roster = new Roster({ list: () => parts.machines.list(), call });
  const services: CreatedServices['services'] = {
    terminals,
    access: engine.access,
    admission: terminals.admission,
    callers,
    writers: new Writers({
      ...{ callers, terminals, access: engine.access },
      protectHumans: () => config.current.input.protectHumans,
    }),
    leases: terminals.gate,
    lists: new TerminalViews({ terminals, processes, commands, agents, attached: engine.attached }),
    screens: engine.screens,
    captures: engine.captures,
    attached: engine.attached,
    streams: new OutputStreams({ terminals }),
    signals: new Signals({ terminals, commands, table }),
    operations,
    screenshots: new Screenshots({ terminals, screens: engine.screens, jobs: state.screenshotJobs }),
    commands,
    profiles: { profiles, custom },
    recordings,
    search,
    layout,
    canvas,
    processes,
    agents,
    audit: state.audit,
    waits,
    manyWaits,
    runs,
    fleet,
    machines: parts.machines,
    roster,
    everywhere: new Everywhere({ roster, call }),
    system,
    events: {
      source: state.events,
      instanceId,
      onAgentsFollowed: follow.followByEvents,
      onSignsFollowed: (signs) => fanOut.followSigns(signs),
    },
    webhooks: state.webhooks,
    watches: state.watches,
    prompts: state.prompts,
    settings: {
      settings: config,
      ports: () => ({
        network: parts.listener().port,
        mcp: sidecar.settings?.port ?? config.current.mcp.port,
        dashboard: dashboard.binding?.port ?? config.current.dashboard.port,
      }),
      onChanged: (asking) => {
        parts.listener().dropUnserved(asking);
        // Everything opened without a token ends once a token is needed; each later request must bring its own.
        if (engine.access.isGuarded && !wasGuarded) parts.listener().dropAtWork(asking);
        wasGuarded = engine.access.isGuarded;
      },
      onRotated: ({ isFromDashboard, headers }, before, token) => {
        if (isFromDashboard) dashboard.sessions.carryOver(headers, before, token);
      },
    },
    sessions: dashboard.sessions,
    metrics: {
      terminals: () => {
        const running = terminals.list('running').length;
        return { running, exited: terminals.list('all').length - running };
      },
      traffic,
      shards: () => shardReports.take(),
      stream: () => fanOut.figures(),
      jobs: () => ({ exports: state.jobs.queued, search: state.searchJobs.queued }),
      recordings: () => ({ active: recordings.running().length, cut: recordings.cutCount }),
      freeBytes: () => state.disk.freeBytes,
      search: () => search.stats(),
      webhooks: state.webhooks,
      admission: terminals.admission,
      gate: terminals.gate,
      access: engine.access,
      watches: state.watches,
      prompts: state.prompts,
      fleet: () => parts.machines.figures(),
      commands: () => commands.figures(),
      waits: () => places.taken,
      outcomes,
      sidecar,
      agents: () => agents.figures,
      loopDelay: () => loopDelay.take(),
    },
    config: () => config.current,
    instanceId,
    health: () => ({
      search: search.isFeeding ? 'feeding' : config.current.search.index ? 'paused' : 'off',
      recordings: state.disk.isFull ? 'full' : 'open',
    }),
  };
  const { ofService, ofAdmission } = feeds;
  const stop = () => {
    ofService.stop();
    ofAdmission.stop();
  };
  const labelsOf = (id: string) => feeds.ofTerminals.lastLabelsOf(id);
  const reached = {
    terminals,
    attached: engine.attached,
    fanOut,
    system,
    runs: state.runs,
    audit: state.audit,
    labelsOf,
  };
  return { services, agents, reached, events: { settingsChanged: () => ofService.settingsChanged(), stop } };
}
