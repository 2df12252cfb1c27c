import { z } from 'zod';
import { Machine, NotInFleet } from '../contract/fleet.js';
import { elsewhereFailures } from './elsewhere.js';
import { ErrorBody, failures } from './failures.js';

/** Failures of a `targetOS` list the known machines. */
export const NoMatch = z.object({ ...ErrorBody.shape, machines: z.array(Machine) });
export const Ambiguous = NoMatch.extend({ candidates: z.array(Machine) });
export const NotFound = z.object({ ...ErrorBody.shape, ...NotInFleet.shape });

/** The failures of a route that looks for a terminal in the fleet. */
export const foundFailures = {
  ...failures('peering-not-installed', 'fleet-protocol'),
  404: NotFound.meta({ description: 'Terminal not found', codes: ['terminal-not-found'] }),
  409: z.union([ErrorBody, Ambiguous]).meta({
    description: 'Several machines have this terminal',
    codes: ['ambiguous-target'],
  }),
  ...elsewhereFailures,
};
