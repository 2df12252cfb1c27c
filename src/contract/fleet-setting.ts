import { z } from 'zod';
import { DEFAULT_FLEET_PORT, MAX_FLEET_URL_CHARS, MAX_LABEL_CHARS } from './limits.js';
import { Port } from './port.js';

/** A NATS server as `fleet.url` names it: no user and no path, since the credentials are in a file of their own. */
const SERVER_URL = /^(nats|tls):\/\/(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[1-9]\d{0,4})?$/;
const DEFAULT_NATS_PORT = 4_222;

/** A NATS server that auto-terminal does not run itself. */
export interface OutsideServer {
  host: string;
  port: number;
  isTls: boolean;
}

/** Returns the servers of comma-separated URLs; undefined for any other text, and if only some of the URLs ask for TLS. */
export function outsideServersOf(text: string): OutsideServer[] | undefined {
  const found = text.split(',').flatMap((each) => {
    const [, scheme, host, port] = SERVER_URL.exec(each.trim()) ?? [];
    if (host === undefined) return [];
    const number = port === undefined ? DEFAULT_NATS_PORT : Number(port.slice(1));
    return [{ host: host.replace(/^\[|\]$/g, ''), port: number, isTls: scheme === 'tls' }];
  });
  const isAlike = found.every(({ isTls, port }) => isTls === found[0]?.isTls && port <= 65_535);
  return isAlike && found.length === text.split(',').length ? found : undefined;
}

const path = z.string().min(1).max(4_096);

/** The section `fleet` of the settings. It has no effect before `auto-terminal fleet init`. */
export const fleetSettings = {
  port: Port.describe(
    'Port of a hub, which other machines connect to; 0 is a free one from 20000 to 32767. Holds for the next fleet',
  ),
  listen: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, 'must be an address')
    .max(MAX_LABEL_CHARS)
    .describe('Address that a hub listens on'),
  serverPath: path.describe(
    'Path of nats-server; by default it is looked for on PATH and in the usual folders',
  ),
  url: z
    .string()
    .max(MAX_FLEET_URL_CHARS)
    .refine(
      (text) => outsideServersOf(text) !== undefined,
      'must be URLs such as tls://nats.example:4222, all nats:// or all tls://, with commas between',
    )
    .describe(
      'Servers of NATS that others run, for the next fleet: `nats://` or `tls://` URLs with commas between; without it ' +
        'a hub starts its own',
    ),
  credentials: path.describe(
    'File that logs in at `fleet.url`: a .creds file of NATS, or the seed of an nkey. Only its user may be able to read it',
  ),
  authorities: path.describe(
    "PEM file of the authorities for `fleet.url`, instead of the system's; TLS is required with it",
  ),
};

/** Values of {@link fleetSettings} that the config file leaves out. */
export const DEFAULT_FLEET = { port: DEFAULT_FLEET_PORT, listen: '0.0.0.0' } as const;

/** Keys of {@link fleetSettings} that have no default. */
export const fleetWithoutDefault = {
  serverPath: true,
  url: true,
  credentials: true,
  authorities: true,
} as const;
