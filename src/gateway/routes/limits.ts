import { LimitsAnswer } from '../../contract/admission.js';
import { needs } from '../access/needs.js';
import type { App } from '../validation.js';

/** The admission of terminals, as the gateway describes it. */
export interface LimitsPort {
  status(): LimitsAnswer;
}

/** `GET /api/limits`: the limits of new terminals, how much of each is in use, and the creations in line. */
export function registerLimits(app: App, admission: LimitsPort): void {
  app.get(
    '/api/limits',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'Get the limits of new terminals, their use, and who waits in line',
        description:
          'The limits are the section `limits` of the settings; without any, no creation waits or is refused. ' +
          '`max` of a limit that is not set is null. `unknown` names limits that are set and cannot be held here, ' +
          'since the system does not report the figure.',
        tags: ['Terminals'],
        response: { 200: LimitsAnswer },
      },
    },
    async () => admission.status(),
  );
}
