import { Caller, CallerHeaders } from '../../contract/caller.js';
import { needs } from '../access/needs.js';
import type { Callers } from '../callers.js';
import type { App } from '../validation.js';

/** `GET /api/caller`: the terminal that the calling program runs in. */
export function registerCaller(app: App, callers: Pick<Callers, 'of'>): void {
  app.get(
    '/api/caller',
    {
      config: needs([], 'filtered'),
      schema: {
        summary: 'Tell which terminal the request comes from',
        description:
          'The header `x-service-terminal-id` names it, with the value of the variable SERVICE_TERMINAL_ID of ' +
          'that terminal. Without the header, or if no such terminal runs, it is the terminal of the process ' +
          'that has opened the unix socket `run/api.sock`, on Linux. Over the network only the header counts.',
        tags: ['System'],
        headers: CallerHeaders,
        response: { 200: Caller },
      },
    },
    async (request) => {
      const caller = await callers.of(request);
      if (caller.terminalId === null || request.rights.sees(caller.terminalId)) return caller;
      return { terminalId: null, pid: caller.pid, verified: false, via: 'none' as const };
    },
  );
}
