import { z } from 'zod';
import { Capture, Reflowed, ResizeReflow } from '../../contract/terminal.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { CapturesPort } from '../ports.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

const CaptureQuery = z.object({ include_scrollback: z.enum(['true', 'false']).default('false') });

/** Routes that capture a screen row by row, and that resize a terminal together with its content. */
export function registerCapture(app: App, captures: CapturesPort): void {
  const params = IdParams;

  app.get(
    '/api/terminals/:id/capture',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get what a terminal shows, row by row',
        description:
          'Text with escape sequences for colours and styles only. For a terminal in tmux, it is what ' +
          'tmux shows.',
        tags: ['Input and output'],
        params,
        querystring: CaptureQuery,
        response: { 200: Capture, ...failures('terminal-not-found') },
      },
    },
    ({ params: { id }, query }) => captures.capture(id, query.include_scrollback === 'true'),
  );

  app.post(
    '/api/terminals/:id/resize-reflow',
    {
      config: needs(['read', 'control'], 'terminal'),
      schema: {
        summary: 'Resize a terminal and, if possible, reflow its content',
        description:
          'Only the tmux backend reflows content. The answer then has the content with its scrollback, ' +
          'since rows that no longer fit move there. Any other terminal is only resized, and ' +
          '`reflow_applied` is false.',
        tags: ['Terminals'],
        params,
        body: ResizeReflow,
        response: { 200: Reflowed, ...failures('terminal-not-found', 'resized-meanwhile') },
      },
    },
    ({ params: { id }, body: { capture_content, ...size } }) => captures.reflow(id, size, capture_content),
  );
}
