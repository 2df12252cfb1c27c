import type { Config } from '../../config/settings.js';
import type { Health } from '../../contract/answers.js';
import { Creator } from '../creator.js';
import { useIdempotencyKeys } from '../idempotency.js';
import { LongPolls } from '../long-polls.js';
import type { MetricsSources } from '../metrics/sources.js';
import type { CapturesPort, ScreensPort, SizesPort, TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { registerAgent } from './agent.js';
import { registerBatch } from './batch.js';
import { registerBatchCreate } from './batch-create.js';
import { registerBatchRun } from './batch-run.js';
import { registerCaller } from './caller.js';
import { registerCanvas } from './canvas.js';
import { registerCanvasPlaces } from './canvas-places.js';
import { registerCapture } from './capture.js';
import { registerChanges } from './changes.js';
import { type ClientsPort, registerClients } from './clients.js';
import { registerCommands } from './commands.js';
import { registerEvents } from './events.js';
import { registerExecute } from './execute.js';
import { registerFleet } from './fleet.js';
import { registerHealth } from './health.js';
import { registerKeys } from './keys.js';
import { registerLayout } from './layout.js';
import { registerLegacy } from './legacy.js';
import { type LimitsPort, registerLimits } from './limits.js';
import { registerMetrics } from './metrics.js';
import { registerProcesses } from './processes.js';
import { registerProfiles } from './profiles.js';
import { registerRecordings } from './recordings.js';
import { registerRunStream } from './run-stream.js';
import { registerRuns } from './runs.js';
import { registerScreenshot } from './screenshot.js';
import { registerSearch } from './search.js';
import { registerSession } from './session.js';
import { registerSettings, type SettingsOptions } from './settings.js';
import { registerSignal } from './signal.js';
import { registerStream } from './stream.js';
import { registerSystem } from './system.js';
import { registerTerminalIo } from './terminal-io.js';
import { registerTerminals } from './terminals.js';
import { registerWait } from './wait.js';
import { registerWaitMany } from './wait-many.js';
import { registerWebhooks } from './webhooks.js';

/** The services that the routes call. */
export interface Services {
  terminals: TerminalsPort;
  admission: LimitsPort;
  lists: Parameters<typeof registerTerminals>[2];
  screens: ScreensPort;
  captures: CapturesPort;
  callers: Parameters<typeof registerCaller>[1];
  attached: ClientsPort & SizesPort;
  operations: Parameters<typeof useIdempotencyKeys>[1];
  streams: Parameters<typeof registerStream>[1];
  signals: Parameters<typeof registerSignal>[1];
  screenshots: Parameters<typeof registerScreenshot>[1];
  commands: Parameters<typeof registerCommands>[1];
  waits: Parameters<typeof registerWait>[1];
  manyWaits: Parameters<typeof registerWaitMany>[1];
  runs: Parameters<typeof registerBatchRun>[1] &
    Parameters<typeof registerRuns>[1] &
    Parameters<typeof registerRunStream>[1];
  fleet: Parameters<typeof registerFleet>[1];
  profiles: Parameters<typeof registerProfiles>[1];
  recordings: Parameters<typeof registerRecordings>[1];
  search: Parameters<typeof registerSearch>[1];
  layout: Parameters<typeof registerLayout>[1];
  canvas: Parameters<typeof registerCanvas>[1] & Parameters<typeof registerCanvasPlaces>[1];
  processes: Parameters<typeof registerProcesses>[1];
  agents: Parameters<typeof registerAgent>[1];
  events: Parameters<typeof registerEvents>[1];
  webhooks: Parameters<typeof registerWebhooks>[1];
  system: Parameters<typeof registerSystem>[1];
  settings: SettingsOptions;
  sessions: Parameters<typeof registerSession>[1];
  metrics: Omit<MetricsSources, 'replays'>;
  /** Returns the current configuration. */
  config: () => Config;
  /** Identifies the running instance to its clients. */
  instanceId: string;
  /** Returns what the service cannot do at present. */
  health: () => NonNullable<Health['details']>;
}

/** Registers every REST route; there is a file for each resource. */
export function registerRoutes(app: App, services: Services): void {
  const { terminals, screens, config } = services;
  const cliTypes = () => config().cliTypes;
  const polls = new LongPolls(app);
  const keys = useIdempotencyKeys(app, services.operations);
  registerHealth(app, services.instanceId, services.health);
  const creator = new Creator({ terminals, callers: services.callers, polls, keys });
  registerTerminals(app, terminals, services.lists, keys, creator);
  registerBatchCreate(app, terminals, keys, creator);
  registerLimits(app, services.admission);
  registerTerminalIo(app, { terminals, sizes: services.attached, screens, keys });
  registerClients(app, services.attached);
  registerCapture(app, services.captures);
  registerStream(app, services.streams);
  registerScreenshot(app, services.screenshots, polls);
  registerExecute(app, terminals, screens, cliTypes, keys);
  registerBatch(app, terminals, cliTypes, keys);
  registerKeys(app, terminals, screens, keys);
  registerSignal(app, services.signals);
  registerChanges(app, screens);
  registerCommands(app, services.commands);
  registerWait(app, services.waits, polls);
  registerWaitMany(app, services.manyWaits, polls);
  registerBatchRun(app, services.runs, terminals, polls, keys);
  registerRuns(app, services.runs, polls);
  registerRunStream(app, services.runs, polls);
  registerFleet(app, services.fleet, polls, keys);
  registerProfiles(app, services.profiles);
  registerRecordings(app, services.recordings, () => config().recordings.redactExports);
  registerSearch(app, services.search, terminals);
  registerLayout(app, services.layout);
  registerCanvas(app, services.canvas);
  registerCanvasPlaces(app, services.canvas);
  registerProcesses(app, services.processes);
  registerAgent(app, services.agents);
  registerEvents(app, services.events);
  registerWebhooks(app, services.webhooks);
  registerSystem(app, services.system);
  registerCaller(app, services.callers);
  registerSettings(app, services.settings);
  registerSession(app, services.sessions);
  registerMetrics(app, { ...services.metrics, replays: keys.replays });
  registerLegacy(app);
}
