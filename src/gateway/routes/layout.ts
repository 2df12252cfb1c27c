import type { Layout } from '../../actors/layout/layout.js';
import { LayoutBody, LayoutRestored, LayoutTree } from '../../contract/layout.js';
import { needs } from '../access/needs.js';
import type { App } from '../validation.js';

/** `/api/layout`: reads and restores tabs and panes. */
export function registerLayout(app: App, layout: Pick<Layout, 'get' | 'restore'>): void {
  const tags = ['Layout'];

  app.get(
    '/api/layout',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'Get the tabs and panes',
        description: 'Every running terminal is in exactly one pane.',
        tags,
        response: { 200: LayoutTree },
      },
    },
    async () => layout.get(),
  );

  app.post(
    '/api/layout',
    {
      config: needs('control', 'whole'),
      schema: {
        summary: 'Restore tabs and panes',
        description:
          'Takes the answer of GET. Terminals that are not running are left out and listed in `missing`; ' +
          'running terminals that the layout does not mention get tabs of their own. A terminal that ' +
          'moves to another tab gets a new `tabId`. If the layout is invalid, nothing changes.',
        tags,
        body: LayoutBody,
        response: { 200: LayoutRestored },
      },
    },
    async (request) => ({ status: 'ok' as const, ...(await layout.restore(request.body)) }),
  );
}
