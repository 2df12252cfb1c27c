import type { Context } from '../context.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { definitionFor } from './definition.js';
import type { ServiceManager } from './manager.js';

/** Returns the service manager of this system. Throws where there is none that this package knows. */
export async function managerOf(context: Context): Promise<ServiceManager> {
  const definition = definitionFor(context.env);
  if (process.platform === 'linux') return new (await import('./systemd.js')).Systemd(context, definition);
  if (process.platform === 'darwin') return new (await import('./launchd.js')).Launchd(context, definition);
  throw new CommandError(
    EXIT.failed,
    'no-service-manager',
    `There is no service manager for ${process.platform}; systemd and launchd are known`,
    'auto-terminal serve runs the service in the foreground',
  );
}
