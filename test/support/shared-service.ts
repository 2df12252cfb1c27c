import { noteShared } from './end-shared.js';
import { createApi } from './http.js';
import { type Service, startService } from './service.js';

let shared: Promise<Service> | undefined;

/**
 * Resolves with a service that the test files of one worker use one after the other, since starting a service takes
 * some two seconds of processor time. For tests that look only at their own terminals, and change no settings. `stop`
 * closes all terminals; the service ends with the test run.
 */
export async function sharedService(): Promise<Service> {
  shared ??= startShared();
  const service = await shared;
  return { ...service, stop: () => closeTerminals(service.url) };
}

async function startShared(): Promise<Service> {
  const service = await startService({ env: { SHELL: '/bin/bash' } });
  noteShared(service.pid);
  return service;
}

/** Closes all terminals, so that the next file finds none. */
async function closeTerminals(url: string): Promise<void> {
  const api = createApi(url);
  const { body } = await api.get<{ terminals: { id: string }[] }>('/api/terminals');
  await Promise.all(body.terminals.map(({ id }) => api.delete(`/api/terminals/${id}`)));
}
