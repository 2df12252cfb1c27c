import { z } from 'zod';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { LongPolls } from '../long-polls.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

/** The screenshots, as the gateway takes them. */
export interface ScreenshotsPort {
  /** Returns a PNG. Throws terminal-not-found, unavailable, or the signal's reason. */
  png(id: string, signal: AbortSignal): Promise<Uint8Array>;
}

const PNG = 'image/png';

/** `GET /api/terminals/:id/screenshot`: the screen of a terminal, as a picture. */
export function registerScreenshot(app: App, screenshots: ScreenshotsPort, polls: LongPolls): void {
  app.get(
    '/api/terminals/:id/screenshot',
    {
      config: needs('read', 'terminal'),
      schema: {
        summary: 'Get the screen of a terminal as a picture',
        description:
          'Shows the cells of the screen with their colours, and the cursor if the terminal is running. A ' +
          'cell is 9 x 19 pixels; the cells of a large terminal are smaller, so that no side of the ' +
          'picture exceeds 2,000 pixels.',
        tags: ['Input and output'],
        params: IdParams,
        response: {
          200: {
            description: 'The picture',
            content: { [PNG]: { schema: z.unknown().meta({ type: 'string', format: 'binary' }) } },
          },
          ...failures('terminal-not-found'),
        },
      },
    },
    async (request, reply) => {
      const png = await polls.hold(request, reply, (signal) => screenshots.png(request.params.id, signal));
      return reply.type(PNG).header('cache-control', 'no-store').send(png);
    },
  );
}
