import { APP_NAME, MCP_NAME } from '../contract/version.js';

const INSTANCE_ID = /^[0-9a-f-]{36}$/;

/** How long the owner of a taken port gets to say who it is. */
const HEALTH_DEADLINE_MS = 1_000;

/** The port belongs to somebody else; the message says to whom. */
export class PortTakenError extends Error {
  constructor(port: number, owner: string, options?: ErrorOptions) {
    super(`port ${port} is taken by ${owner}`, options);
    this.name = 'PortTakenError';
  }
}

/** Who answers at an origin of this machine, as words for a message. */
export async function portOwner(origin: string): Promise<string> {
  try {
    const answer = await fetch(`${origin}/health`, {
      signal: AbortSignal.timeout(HEALTH_DEADLINE_MS),
      redirect: 'error',
    });
    const owner = ownerOf(await answer.json());
    if (owner !== undefined) return owner;
  } catch {
    // Whatever it is, it is not one of ours.
  }
  return 'another program';
}

/** Whom the answer names: an instance of ours, or a tool server that belongs to none. */
function ownerOf(health: unknown): string | undefined {
  if (typeof health !== 'object' || health === null || !('app' in health)) return undefined;
  if (health.app !== APP_NAME && health.app !== MCP_NAME) return undefined;
  const instanceId = 'instanceId' in health ? health.instanceId : undefined;
  // It goes into a message: what is no id of ours is not repeated.
  if (typeof instanceId === 'string' && INSTANCE_ID.test(instanceId)) {
    return `another instance of ${APP_NAME} (${instanceId})`;
  }
  return health.app === MCP_NAME && instanceId === null ? `another ${MCP_NAME}` : undefined;
}
