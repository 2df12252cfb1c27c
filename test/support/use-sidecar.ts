import { afterAll, beforeAll } from 'vitest';
import type { Api } from './http.js';
import { type Sidecar, startSidecar } from './mcp.js';
import type { Service, StartOptions } from './service.js';
import { useService } from './use-service.js';

/** A service and a tool server beside it for the tests of one file. */
export interface UsedSidecar {
  readonly service: Service;
  readonly api: Api;
  readonly sidecar: Sidecar;
}

/** Starts both before the tests of the calling file, and stops them after the last. */
export function useSidecar(options: StartOptions = {}): UsedSidecar {
  const used = useService(options);
  let sidecar: Sidecar | undefined;
  beforeAll(async () => {
    sidecar = await startSidecar({ apiUrl: used.service.url });
  });
  afterAll(() => sidecar?.stop());
  return {
    get service() {
      return used.service;
    },
    get api() {
      return used.api;
    },
    get sidecar() {
      if (sidecar === undefined) throw new Error('the tool server starts before the first test');
      return sidecar;
    },
  };
}
