import { join } from 'node:path';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import type { HostConnection } from '../workers/pty-host/host-client.js';
import { connectOrStartHost } from '../workers/pty-host/start-host.js';

export interface HostOptions {
  config: LiveConfig;
  paths: Paths;
  instanceId: string;
}

/**
 * Connects to the pty host before any file of the state folder is opened: it is the host that refuses a second
 * service. Gives what connects: the first time it gives that connection, and another each time it is lost.
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
