import type { Layout } from '../../actors/layout/layout.js';
import { LayoutBody, LayoutRestored, LayoutTree } from '../../contract/layout.js';
import type { App } from '../validation.js';

/** `/api/layout`: reads and restores tabs and panes. */
export function registerLayout(app: App, layout: Pick<Layout, 'get' | 'restore'>): void {
  const tags = ['Layout'];

  app.get(
    '/api/layout',
    {
      schema: {
        summary: 'The tabs and panes',
        description: 'Every running terminal stands in exactly one pane.',
        tags,
        response: { 200: LayoutTree },
      },
    },
    async () => layout.get(),
  );

  app.post(
    '/api/layout',
    {
      schema: {
        summary: 'Restore tabs and panes',
        description:
          'Takes what GET answers. Terminals that do not run are left out and named in `missing`; running ones that it does not mention get tabs of their own. A terminal in another tab than before has a new `tabId`. When it is invalid, nothing changes.',
        tags,
        body: LayoutBody,
        response: { 200: LayoutRestored },
      },
    },
    async (request) => ({ status: 'ok' as const, ...(await layout.restore(request.body)) }),
  );
}
