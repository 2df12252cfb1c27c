import { freePort as freePortOf } from '#dist/fleet/ports.js';

/** Resolves with a port of the loopback that is free now, and that neither `listen(0)` nor an outgoing connection takes. */
export function freePort(): Promise<number> {
  return freePortOf('127.0.0.1');
}
