import { afterAll, beforeAll } from 'vitest';
import { type Api, createApi } from './http.js';
import { type Service, type StartOptions, startService } from './service.js';
import { sharedService } from './shared-service.js';

/** A service and its client, for the tests of one file, from the first test to the last. */
export interface UsedService {
  readonly service: Service;
  readonly api: Api;
}

/** Starts a service before the tests of the calling file, and stops it after them. */
export function useService(options: StartOptions = {}): UsedService {
  return useStarted(() => startService(options));
}

/**
 * Uses the service that the files of a worker share, and closes its terminals after the tests of the calling file. See
 * {@link sharedService}.
 */
export function useSharedService(): UsedService {
  return useStarted(sharedService);
}

function useStarted(start: () => Promise<Service>): UsedService {
  let service: Service | undefined;
  let api: Api | undefined;
  beforeAll(async () => {
    service = await start();
    api = createApi(service.url);
  });
  afterAll(() => service?.stop());
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the service starts before the first test');
    return part;
  };
  return {
    get service() {
      return started(service);
    },
    get api() {
      return started(api);
    },
  };
}
