import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { LiveConfig } from '../config/live-config.js';
import type { Config } from '../config/settings.js';
import { Dashboard } from '../gateway/dashboard/dashboard.js';
import { readPages } from '../gateway/dashboard/pages.js';
import { type Binding, hostFor } from '../gateway/listen.js';

/** Where `npm run build` puts the pages. */
const FOLDER = fileURLToPath(new URL('../../dashboard', import.meta.url));

export interface DashboardParts {
  config: Pick<LiveConfig, 'current'>;
  instanceId: string;
  logger: Logger;
  /** Folder of the pages, in place of the built ones. */
  folder?: string | undefined;
}

/** Reads the pages of the dashboard. It does not listen yet. */
export async function createDashboard(parts: DashboardParts): Promise<Dashboard> {
  const { config, instanceId, logger, folder = FOLDER } = parts;
  const pages = await readPages(folder);
  if (pages === undefined)
    logger.info(`no dashboard is served, since ${folder} has none: \`npm run build\` builds it`);
  const accessNow = () => {
    const { network, access } = config.current;
    const { expose, authToken } = network;
    return { exposed: expose, needsToken: expose || access.mode === 'guarded', authToken };
  };
  return new Dashboard({ pages, access: accessNow, instanceId });
}

/** Returns where the dashboard listens; undefined when it is off. */
export function dashboardBinding({ network, dashboard }: Config): Binding | undefined {
  return dashboard.enabled ? { port: dashboard.port, host: hostFor(network.expose) } : undefined;
}
