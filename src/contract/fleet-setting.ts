import { z } from 'zod';
import { DEFAULT_FLEET_PORT, MAX_LABEL_CHARS } from './limits.js';
import { Port } from './port.js';

/** The section `fleet` of the settings. Nothing of it has an effect before `auto-terminal fleet init`. */
export const fleetSettings = {
  port: Port.describe(
    'Port of a hub, which other machines connect to; 0 is any free port. Holds for the next fleet',
  ),
  listen: z
    .string()
    .regex(/^[A-Za-z0-9.:_-]+$/, 'must be an address')
    .max(MAX_LABEL_CHARS)
    .describe('Address that a hub listens on'),
  serverPath: z
    .string()
    .min(1)
    .max(4_096)
    .describe('Path of nats-server; by default it is looked for on PATH and in the usual folders'),
};

/** Values of {@link fleetSettings} that the config file leaves out. */
export const DEFAULT_FLEET = { port: DEFAULT_FLEET_PORT, listen: '0.0.0.0' } as const;
