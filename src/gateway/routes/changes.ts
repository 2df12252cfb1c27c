import { ChangesAnswer, ChangesBody } from '../../contract/changes.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { ScreensPort } from '../ports.js';
import type { App } from '../validation.js';

/** `POST /api/terminals/changes`: the output of many terminals since their cursors. */
export function registerChanges(app: App, screens: Pick<ScreensPort, 'changes'>): void {
  app.post(
    '/api/terminals/changes',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'Get what many terminals have printed since their cursors',
        description:
          'Answers as `/output?since=` does, for many terminals in one request. Terminals that have ' +
          'printed nothing are left out. Keep each `cursor` for the next request.',
        tags: ['Input and output'],
        body: ChangesBody,
        response: { 200: ChangesAnswer, ...failures('unavailable') },
      },
    },
    async ({ body, rights }) => {
      rights.requireSight(Object.keys(body.cursors));
      return screens.changes(new Map(Object.entries(body.cursors)), body.maxBytes);
    },
  );
}
