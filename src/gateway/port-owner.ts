import { DomainError } from '../contract/errors.js';
import { APP_NAME, MCP_NAME } from '../contract/version.js';

const INSTANCE_ID = /^[0-9a-f-]{36}$/;

/** Milliseconds that the owner of a taken port gets to identify itself. */
const HEALTH_DEADLINE_MS = 1_000;

/** Error for a port that another program has; the message names the owner. */
export class PortTakenError extends Error {
  constructor(port: number, owner: string, options?: ErrorOptions) {
    super(`port ${port} is taken by ${owner}`, options);
    this.name = 'PortTakenError';
  }
}

/** Returns the owner of an origin of this machine, in words for a message. */
export async function portOwner(origin: string): Promise<string> {
  try {
    const answer = await fetch(`${origin}/health`, {
      signal: AbortSignal.timeout(HEALTH_DEADLINE_MS),
      redirect: 'error',
    });
    const owner = ownerOf(await answer.json());
    if (owner !== undefined) return owner;
  } catch {
    // No auto-terminal answers there.
  }
  return 'another program';
}

/** Returns the owner that an answer names: another instance, or a tool server that belongs to no instance. */
function ownerOf(health: unknown): string | undefined {
  if (typeof health !== 'object' || health === null || !('app' in health)) return undefined;
  if (health.app !== APP_NAME && health.app !== MCP_NAME) return undefined;
  const instanceId = 'instanceId' in health ? health.instanceId : undefined;
  // The message repeats only a valid instance id, never other text from the answer.
  if (typeof instanceId === 'string' && INSTANCE_ID.test(instanceId)) {
    return `another instance of ${APP_NAME} (${instanceId})`;
  }
  return health.app === MCP_NAME && instanceId === null ? `another ${MCP_NAME}` : undefined;
}

/** Rejects with `port-taken` in place of a {@link PortTakenError}, for work of a request. */
export function orPortTaken<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: unknown) => {
    throw portTaken(error);
  });
}

/** While the service runs, a taken port is a failed request, not a reason to end the process. */
export function portTaken(error: unknown): unknown {
  return error instanceof PortTakenError
    ? new DomainError('port-taken', error.message, { cause: error })
    : error;
}
