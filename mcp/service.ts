import { AsyncLocalStorage } from 'node:async_hooks';
import type { z } from 'zod';
import {
  ApiError,
  AutoTerminal,
  type AutoTerminalError,
  NoServiceError,
  NotUnderstoodError,
} from '../src/client/index.js';
import { CLIENT_HEADER, INSTANCE_HEADER, TERMINAL_HEADER } from '../src/contract/headers.js';
import type { SidecarSettings } from '../src/contract/sidecar.js';

/** The service to call: where it is, its token, and the id of its only instance to talk to. */
export type ServiceTarget = Pick<SidecarSettings, 'apiUrl'> &
  Partial<Pick<SidecarSettings, 'token' | 'instanceId'>>;

/** Most tries of a call: a model should get the error within two seconds. */
const MAX_TRIES = 3;

/** Longest pause before another try; a service that asks for a longer one is reported at once. */
const MAX_PAUSE_MS = 1_000;

/** Id of the terminal that a caller runs in, during its call. */
const callers = new AsyncLocalStorage<string | undefined>();

/**
 * Runs a call whose requests name the caller's terminal to the service, which reports to others who types, or who is in
 * their way: without it, all callers would be the same MCP client.
 */
export function onBehalfOf<Answer>(caller: string | undefined, call: () => Answer): Answer {
  return callers.run(caller, call);
}

/** Returns a client that calls the service that `target` names at each request. */
export function connectService(target: () => ServiceTarget): AutoTerminal {
  return AutoTerminal.connect({
    url: () => target().apiUrl,
    token: () => target().token,
    headers: () => {
      const { instanceId } = target();
      const caller = callers.getStore();
      return {
        [CLIENT_HEADER]: 'mcp',
        ...(instanceId !== undefined && { [INSTANCE_HEADER]: instanceId }),
        ...(caller !== undefined && { [TERMINAL_HEADER]: caller }),
      };
    },
    mayRepeat: isWorthRepeating,
    // The environment names the service of this machine's user, which may be another.
    env: {},
  });
}

/**
 * Returns whether to repeat a call. A stopped or stopping service is reported at once; other failures may be over in a
 * second, unless the service says that they are not.
 */
function isWorthRepeating(error: AutoTerminalError, tries: number): boolean {
  const isStopped = error instanceof NoServiceError || error.code === 'shutting-down';
  const isLong = error instanceof ApiError && (error.retryAfterMs ?? 0) > MAX_PAUSE_MS;
  return tries < MAX_TRIES && !isStopped && !isLong;
}

/** Resolves with an answer that matches its schema. Rejects as the answer does, and with NotUnderstoodError. */
export async function answered<Answer>(schema: z.ZodType<Answer>, answer: Promise<unknown>): Promise<Answer> {
  const parsed = schema.safeParse(await answer);
  if (parsed.success) return parsed.data;
  throw new NotUnderstoodError('it is not what the contract says', { cause: parsed.error });
}
