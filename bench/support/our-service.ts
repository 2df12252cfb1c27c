import { SERVICE_FLAGS } from '../../src/command/programs.js';
import { type Api, createApi } from '../../test/support/http.js';
import { hostPidOf } from '../../test/support/processes.js';
import { type Service, type StartOptions, startService } from '../../test/support/service.js';
import type { Cleanup } from './cleanup.js';

export interface OurService extends Service {
  api: Api;
  /** Ids of the service and the pty host: the processes whose CPU counts as ours. */
  pids: number[];
}

/** Starts the service until the case ends; its tool server only if `options` ask for it. */
export async function startOurs(cleanup: Cleanup, options: StartOptions = {}): Promise<OurService> {
  const service = await cleanup.own(startService({ flags: SERVICE_FLAGS, ...options }), ({ stop }) => stop());
  const api = createApi(service.url, { unchecked: true });
  return { ...service, api, pids: [service.pid, hostPidOf(service.home)] };
}
