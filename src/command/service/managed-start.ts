import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../context.js';
import { isRunning } from '../running.js';
import type { ServiceStart } from '../service-start.js';
import { installed, isManaged, type ServiceManager } from './manager.js';
import { take } from './steps.js';
import { managerOf } from './this-manager.js';

export { withoutManager } from './manager.js';

/** Each look at the manager's state starts a process. */
const POLL_MS = 200;

const NOTICE_POLL_MS = 20;
/** Much longer than a manager takes to notice an end. */
const NOTICE_MS = 5_000;

/**
 * Returns how the service manager starts a service with these arguments; undefined if the service is not installed, if
 * the arguments are a user's own, or if the manager cannot be reached, as in a session of `su`.
 */
export async function managedStart(
  context: Context,
  args: readonly string[],
): Promise<ServiceStart | undefined> {
  if (args.length > 0 && !isManaged(args)) return undefined;
  if (process.platform !== 'linux' && process.platform !== 'darwin') return undefined;
  const manager = await managerOf(context);
  if (installed(manager) !== 'ours' || (await manager.fault()) !== undefined) return undefined;
  return {
    log: `${manager.name} runs it, and auto-terminal service logs prints its log`,
    advice: 'auto-terminal service logs says why',
    begin: async () => {
      await noticed(context, manager);
      await take(context, manager.startSteps());
      const hasEnded = async () => {
        await delay(POLL_MS, undefined, { signal: context.signal });
        return (await manager.state()).hasEnded;
      };
      return { hasEnded, written: () => manager.lastLine() };
    },
  };
}

/**
 * Resolves once the manager knows that the service has ended, which may have been a moment ago. A manager that still
 * counts it as running would not start it.
 */
async function noticed({ signal }: Pick<Context, 'signal'>, manager: ServiceManager): Promise<void> {
  const patience = AbortSignal.timeout(NOTICE_MS);
  for (;;) {
    const { isActive, pid } = await manager.state();
    if (!isActive || pid === undefined || isRunning(pid) || patience.aborted) return;
    await delay(NOTICE_POLL_MS, undefined, { signal });
  }
}
