import { APP_NAME } from '../contract/version.js';

const LOOPBACK = '127.0.0.1';

/** How long the owner of a taken port gets to say who it is. */
const HEALTH_DEADLINE_MS = 1_000;

/** The port belongs to somebody else; the message says to whom. */
export class PortTakenError extends Error {
  constructor(port: number, owner: string, options?: ErrorOptions) {
    super(`port ${port} is taken by ${owner}`, options);
    this.name = 'PortTakenError';
  }
}

/** Who listens on a port of this machine, as words for a message. */
export async function portOwner(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://${LOOPBACK}:${port}/health`, {
      signal: AbortSignal.timeout(HEALTH_DEADLINE_MS),
      redirect: 'error',
    });
    const health: unknown = await answer.json();
    if (isHealthOfOurs(health)) return `another instance of ${APP_NAME} (${health.instanceId})`;
  } catch {
    // Whatever it is, it is not one of ours.
  }
  return 'another program';
}

function isHealthOfOurs(health: unknown): health is { instanceId: string } {
  return (
    typeof health === 'object' &&
    health !== null &&
    'app' in health &&
    health.app === APP_NAME &&
    'instanceId' in health &&
    typeof health.instanceId === 'string' &&
    // It goes into a message: what is no id of ours is not repeated.
    /^[0-9a-f-]{36}$/.test(health.instanceId)
  );
}
