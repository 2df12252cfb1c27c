import { afterAll, beforeAll } from 'vitest';
import { type Api, createApi } from './http.js';
import { type Service, type StartOptions, startService } from './service.js';

/** A service for the tests of one file, and a client of it: from the first test to the last. */
export interface UsedService {
  readonly service: Service;
  readonly api: Api;
}

/** Starts a service before the tests of the file that calls it, and stops it after them. */
export function useService(options: StartOptions = {}): UsedService {
  let service: Service | undefined;
  let api: Api | undefined;
  beforeAll(async () => {
    service = await startService(options);
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
