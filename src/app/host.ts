import { join } from 'node:path';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import type { HostConnection } from '../workers/pty-host/client/host-client.js';
import { connectOrStartHost } from '../workers/pty-host/client/start-host.js';

export interface HostOptions {
  config: LiveConfig;
  paths: Paths;
  instanceId: string;
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

async function connect({ config, paths, instanceId }: HostOptions): Promise<HostConnection> {
  const { host } = await connectOrStartHost({
    socketPath: paths.hostSocket,
    spillFolder: paths.dataFolder,
    logFile: join(paths.dataFolder, 'pty-host.log'),
    instanceId,
    orphanMs: config.current.terminals.orphanMs,
    entry: new URL('../workers/pty-host/main.js', import.meta.url),
  });
  return host;
}
