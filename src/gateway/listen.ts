import { createServer } from 'node:net';
import { APP_NAME } from '../contract/version.js';
import type { App } from './validation.js';

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

/** Throws {@link PortTakenError} before anything is started, where the port is taken. */
export async function ensurePortIsFree(port: number): Promise<void> {
  const probe = createServer();
  await nameOwner(
    port,
    () =>
      new Promise<void>((resolve, reject) => {
        probe.once('error', reject);
        probe.listen(port, LOOPBACK, resolve);
      }),
  );
  await new Promise((resolve) => probe.close(resolve));
}

/** Listens on the loopback and answers with the origin. Port 0 is any free one. */
export async function listen(app: App, port: number): Promise<string> {
  await nameOwner(port, () => app.listen({ port, host: LOOPBACK }));
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('the API does not listen on a port');
  return `http://${LOOPBACK}:${address.port}`;
}

async function nameOwner(port: number, bind: () => Promise<unknown>): Promise<void> {
  try {
    await bind();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    throw new PortTakenError(port, await ownerOf(port), { cause: error });
  }
}

async function ownerOf(port: number): Promise<string> {
  try {
    const answer = await fetch(`http://${LOOPBACK}:${port}/health`, {
      signal: AbortSignal.timeout(HEALTH_DEADLINE_MS),
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
    typeof health.instanceId === 'string'
  );
}
