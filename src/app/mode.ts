import type { Config } from '../config/settings.js';

/** Returns the welcome frame's `mode`: `exposed` if other machines can connect with the token, else `local`. */
export function modeOf({ network }: Config): string {
  return network.expose ? 'exposed' : 'local';
}
