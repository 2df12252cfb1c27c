import { z } from 'zod';
import type { Watches } from '../../actors/watches/watches.js';
import { Watch, WatchBody, WatchList } from '../../contract/watch.js';
import { needs } from '../access/needs.js';
import { failures } from '../failures.js';
import type { App } from '../validation.js';
import { IdParams } from './params.js';

export type WatchesPort = Pick<Watches, 'list' | 'get' | 'create' | 'remove'>;

const DESCRIPTION = `A standing search in the lines that programs print from now on, in the terminals of a selector, also in those created
later, or in all. It survives restarts. A line matches once, whatever it has more often, as soon as the text is there; a
regular expression once the line has ended, or nothing was printed for 200 ms.

- Matches become the event \`watch.matched\` of \`/api/events\`: the first at once, further ones of the same terminal
  together, after \`debounceMs\` and at most \`maxPerMinute\`. \`count\` is how many lines, \`text\` the latest one.
- Where the shell reports its prompts, prompts, what is typed at them and what a background job prints at them do not count.
  What a program draws again matches again. Of a line of over 4,096 characters, the latest part is searched.
- A line that is split by the death of a shard or of the service, or printed meanwhile, may be missed, which \`gaps\` counts.
  Matches that wait for an event at that moment are lost; none is told twice.
- An \`input\` action types one line, for all matches since the last one, once its terminal is idle: its agent is \`idle\`, or its
  shell is at the prompt with nothing typed. It never answers a question. Until then \`waitingInput\` says why it waits.`;

/** `/api/watches`: standing searches in what terminals print. */
export function registerWatches(app: App, watches: WatchesPort): void {
  const tags = ['Watches'];

  app.get(
    '/api/watches',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'List the watches',
        description: 'Also those that have ended, until there are too many.',
        tags,
        response: { 200: WatchList },
      },
    },
    async () => ({ watches: watches.list() }),
  );

  app.post(
    '/api/watches',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Watch for a text or a regular expression',
        description: DESCRIPTION,
        tags,
        body: WatchBody,
        response: {
          201: Watch,
          ...failures('terminal-not-found', 'webhook-not-found', 'too-many-watches'),
        },
      },
    },
    async (request, reply) => reply.code(201).send(await watches.create(request.body)),
  );

  app.get(
    '/api/watches/:id',
    {
      config: needs('read', 'whole'),
      schema: {
        summary: 'Get a watch',
        description: 'What it has found, and which lines wait to be typed.',
        tags,
        params: IdParams,
        response: { 200: Watch, ...failures('watch-not-found') },
      },
    },
    async (request) => watches.get(request.params.id),
  );

  app.delete(
    '/api/watches/:id',
    {
      config: needs('admin', 'whole'),
      schema: {
        summary: 'Delete a watch',
        description: 'Lines that wait to be typed are not typed any more.',
        tags,
        params: IdParams,
        response: { 204: z.void().describe('The watch was deleted'), ...failures('watch-not-found') },
      },
    },
    async (request, reply) => {
      await watches.remove(request.params.id);
      return reply.code(204).send();
    },
  );
}
