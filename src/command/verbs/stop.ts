import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { NoServiceError, type ServiceFacts } from '../../client/index.js';
import { serviceFacts } from '../../config/service-facts.js';
import { answered } from '../answered.js';
import { type CommonOptions, type Context, urlIn } from '../context.js';
import { CommandError, EXIT, usageError } from '../exit-codes.js';
import { isRunning } from '../running.js';
import { startService } from '../start-service.js';
import { verb } from '../verb.js';

/** Longer than a stop of the service, which takes at most 5 s, and than the answer of a busy service. */
const STOP_MS = 15_000;
const POLL_MS = 20;

/** `auto-terminal stop`: ends the service of this user. */
export function stop(context: Context): Command {
  return verb('stop', 'Stop the service of this user, and close its terminals')
    .option('--keep', 'leave the terminals running; the next start of the service finds them')
    .action(async ({ keep = false, ...options }: CommonOptions & { keep?: boolean }) => {
      const { terminals, leftHost } = await ended(context, options, keep ? 'SIGUSR2' : 'SIGTERM');
      if (leftHost !== undefined)
        throw new CommandError(
          EXIT.failed,
          'not-closed',
          `The service has stopped, but its pty host (process ${leftHost}) has not: whether ${counted(terminals)} will close is not known`,
          `The next start of the service finds those that run; kill -9 ${leftHost} ends them`,
        );
      const fate = keep ? 'left running' : 'closed';
      context.say(`auto-terminal: the service has stopped; ${counted(terminals)} ${fate}`);
    });
}

/** `auto-terminal restart`: ends the service of this user, and starts it again with its terminals. */
export function restart(context: Context): Command {
  return verb('restart', 'Start the service of this user again, and keep its terminals').action(
    async (options: CommonOptions) => {
      const { facts } = await ended(context, options, 'SIGUSR2');
      await startService(context, options, facts.args);
      const { length } = await context.client(options).terminals.list({ signal: context.signal });
      context.say(`auto-terminal: the service runs again, with ${counted(length)}`);
    },
  );
}

export function counted(terminals: number): string {
  return terminals === 1 ? '1 terminal' : `${terminals} terminals`;
}

/** Throws if the options or the environment name another service than that of this user on this machine. */
export function refuseElsewhere({ env }: Pick<Context, 'env'>, { url, socket }: CommonOptions): void {
  if (url === undefined && socket === undefined && urlIn(env) === undefined) return;
  throw usageError(
    'This verb is for the service of this user on this machine',
    'Leave out --url and --socket, and unset AUTO_TERMINAL_API_URL',
  );
}

/** How a service has ended. */
interface Ended {
  /** The facts that it had written down. */
  facts: ServiceFacts;
  /** Number of its terminals. */
  terminals: number;
  /** Process id of its pty host, if that should have closed the terminals and has not ended itself. */
  leftHost?: number;
}

/** Ends the service by the signal; SIGTERM closes its terminals. */
export async function ended(
  context: Context,
  options: CommonOptions,
  signal: 'SIGTERM' | 'SIGUSR2',
): Promise<Ended> {
  refuseElsewhere(context, options);
  const written = serviceFacts(context.env);
  const client = context.client(options);
  const answers = await answered(context, STOP_MS, async (wanted) => {
    const { instanceId } = await client.health({ signal: wanted });
    // The process in the file may be gone, and its pid reused.
    if (written?.instanceId !== instanceId)
      throw new NoServiceError('The service has not written down its process');
    const { length: terminals } = await client.terminals.list({ signal: wanted });
    const { ptyHost } = signal === 'SIGTERM' ? await client.system({ signal: wanted }) : {};
    return { facts: written, terminals, hostPid: ptyHost?.pid };
  });
  if (answers === undefined) {
    const who = written === undefined ? 'its process' : `process ${written.pid}`;
    const fix = `Look at ${who}: kill -9 ends it, and the next start finds its terminals`;
    throw new CommandError(EXIT.failed, 'not-stopped', 'The service does not answer', fix);
  }
  const { facts, terminals, hostPid } = answers;
  process.kill(answers.facts.pid, signal);
  const patience = AbortSignal.timeout(STOP_MS);
  while (isRunning(facts.pid)) {
    if (patience.aborted)
      throw new CommandError(EXIT.failed, 'not-stopped', `The service (process ${facts.pid}) does not end`);
    await delay(POLL_MS, undefined, { signal: context.signal });
  }
  // The service does not wait for it for ever, and its end says nothing about terminals that a stuck host still holds.
  while (hostPid !== undefined && isRunning(hostPid)) {
    if (patience.aborted) return { facts, terminals, leftHost: hostPid };
    await delay(POLL_MS, undefined, { signal: context.signal });
  }
  return { facts, terminals };
}
