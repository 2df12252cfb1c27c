import type { Config } from '../../config/settings.js';
import type { TerminalsPort } from '../ports.js';
import type { App } from '../validation.js';
import { registerBatch } from './batch.js';
import { registerCanvas } from './canvas.js';
import { registerCapture } from './capture.js';
import { registerExecute } from './execute.js';
import { registerHealth } from './health.js';
import { registerLayout } from './layout.js';
import { registerLegacy } from './legacy.js';
import { registerMetrics } from './metrics.js';
import { registerProcesses } from './processes.js';
import { registerProfiles } from './profiles.js';
import { registerRecordings } from './recordings.js';
import { registerSearch } from './search.js';
import { registerSettings, type SettingsOptions } from './settings.js';
import { registerSystem } from './system.js';
import { registerTerminalIo } from './terminal-io.js';
import { registerTerminals } from './terminals.js';

/** What the routes ask. */
export interface Services {
  terminals: TerminalsPort;
  profiles: Parameters<typeof registerProfiles>[1];
  recordings: Parameters<typeof registerRecordings>[1];
  search: Parameters<typeof registerSearch>[1];
  layout: Parameters<typeof registerLayout>[1];
  canvas: Parameters<typeof registerCanvas>[1];
  processes: Parameters<typeof registerProcesses>[1];
  system: Parameters<typeof registerSystem>[1];
  settings: SettingsOptions;
  metrics: Parameters<typeof registerMetrics>[1];
  /** What holds at this moment. */
  config: () => Config;
  /** Identifies the running instance to its clients. */
  instanceId: string;
}

/** Every REST route, a file for each resource. */
export function registerRoutes(app: App, services: Services): void {
  const { terminals, config } = services;
  const cliTypes = () => config().cliTypes;
  registerHealth(app, services.instanceId);
  registerTerminals(app, terminals);
  registerTerminalIo(app, terminals);
  registerCapture(app, terminals);
  registerExecute(app, terminals, cliTypes);
  registerBatch(app, terminals, cliTypes);
  registerProfiles(app, services.profiles);
  registerRecordings(app, services.recordings);
  registerSearch(app, services.search);
  registerLayout(app, services.layout);
  registerCanvas(app, services.canvas);
  registerProcesses(app, services.processes);
  registerSystem(app, services.system);
  registerSettings(app, services.settings);
  registerMetrics(app, services.metrics);
  registerLegacy(app);
}
