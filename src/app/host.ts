import { join } from 'node:path';
import type { Logger } from 'pino';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import { VERSION } from '../contract/version.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import { connectOrStartHost } from '../workers/pty-host/client/start-host.js';

export interface HostOptions {
  config: LiveConfig;
  paths: Paths;
  instanceId: string;
  /** The systemd unit of the pty host; undefined if the service starts its host itself. */
  unit: string | undefined;
  logger: Logger;
}

/**
 * Connects to the pty host, which refuses a second service; so call this before opening any file of the state folder.
 * Resolves with a function to call at first and after each loss of the connection: its first call resolves with this
 * connection, every later call with a new one.
 */
export async function hostConnector(options: HostOptions): Promise<() => Promise<HostConnection>> {
  const connections = [await connect(options)];
  return async () => connections.pop() ?? connect(options);
}

async function connect({ config, paths, instanceId, unit, logger }: HostOptions): Promise<HostConnection> {
  const { host, renewed } = await connectOrStartHost({
    socketPath: paths.hostSocket,
    spillFolder: paths.dataFolder,
    logFile: join(paths.dataFolder, 'pty-host.log'),
    instanceId,
    unit,
    orphanMs: config.current.terminals.orphanMs,
    entry: new URL('../workers/pty-host/main.js', import.meta.url),
  });
  if (renewed) {
    const { from, fault } = renewed;
    const releases = { hostPid: host.hostPid, from: from ?? 'before 0.1.0', to: VERSION };
    if (fault === undefined) logger.info(releases, 'the pty host has been renewed, with its terminals');
    else logger.warn({ ...releases, fault }, 'the pty host stays of an older release, with its terminals');
  }
  return host;
}
