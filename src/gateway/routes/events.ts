import { z } from 'zod';
import { EventsHeaders, EventsQuery } from '../../contract/service-event.js';
import { needs } from '../access/needs.js';
import { EventStreams, type EventStreamsOptions } from '../events/event-streams.js';
import type { App } from '../validation.js';

const DESCRIPTION = `Server-sent events, for \`EventSource\` or any HTTP client. Each event has an \`id\`, its type as \`event\`, and as \`data\` one
line of JSON: \`{"type", "terminalId", "data", "timestamp"}\`. Only \`watch.matched\` contains output: one line. The data of each type:

- \`terminal.created\`, \`terminal.updated\` (name, labels or tab have changed): the Terminal
- \`terminal.exited\`: \`exitCode\`, \`signal\`, \`exitedAt\`; \`reason\` if the exit status is unknown; \`oomKilled\` if that is known
- \`terminal.removed\`: nothing. \`terminal.resized\`: \`cols\`, \`rows\`
- \`command.started\`, \`command.finished\`: the Command, as in \`/api/terminals/{id}/commands\`
- \`agent.status\`: \`agent\`, \`agentStatus\`, \`agentStatusReason\`. Agents are looked at while a client follows them; a client
  that resumes gets what has changed meanwhile
- \`input.changed\`: \`source\`, which differs from the source of the input before; null if it is unknown
- \`recording.started\`, \`recording.stopped\`: \`recordingId\`; \`truncated\` if it was cut short
- \`run.finished\`: the run as in \`/api/runs\`, with its \`summary\`; only \`runId\` and \`state: "unknown"\` if it was lost
- \`admission.queued\`: a creation waits in line at a limit; \`terminalId\` is the id that its terminal will have. \`admission.admitted\`,
  \`admission.left\`, \`admission.refused\`: it does not wait any longer, since it may begin, its client has left, or its time is over.
  Each with \`name\`, \`priority\`, \`position\`, and the \`obstacle\` it waits or waited for. \`admission.refused\` without a \`terminalId\`:
  \`refused\`, how many were refused at once within a second, and the \`obstacle\` of the last
- \`watch.matched\`: \`watchId\`, \`name\`, \`count\` (lines), \`text\` (the latest line), \`webhooks\` that get it, too. \`watch.ended\`:
  \`watchId\`, \`reason\` (\`once\`, \`expired\`)
- \`prompt.queued\`: \`promptId\`. \`prompt.ended\`: \`promptId\`, \`state\` (\`submitted\`, \`stalled\`, \`expired\`, \`cancelled\`,
  \`terminal-gone\`, \`unknown\`), \`reason\` or null
- \`layout.changed\`, \`canvas.changed\`: nothing. \`settings.changed\`: \`settings\`, the names of the changed settings

Only to clients whose \`types\` name them, and at most once a second for a terminal: \`terminal.title\` (\`title\`, as a program has
set it last), \`terminal.bell\` (nothing: a program rings), \`terminal.activity\` (\`bytes\` printed since the event before). They
are not kept and have no \`id\`.

Events of runs, layout, canvas, settings and refusals belong to no terminal: \`terminals\` and \`selector\` leave them out.

The first message of each answer is \`ready\`, with \`epoch\`, \`last\` and \`instanceId\`. Its id is the position from which the
stream continues.

A client that was disconnected resumes with \`Last-Event-ID\` or \`since\`, the last id that it has got, and misses nothing,
also over a restart of the service. The last 10,000 events are kept, at most 16 MiB. If events after the id are not kept, or
may have been lost, the client gets one \`resync\` with a \`reason\`, and then events from now on: read the present state, as of
\`GET /api/terminals\`, after the \`resync\`.

Comments come every 15 s. With a filter, they carry an \`id\` without data, which moves the position of the client past the
events that were left out. A client that takes nothing for a minute is disconnected.`;

/** `GET /api/events`: what happens to terminals, commands and agents, as a stream that can be resumed. */
export function registerEvents(app: App, options: EventStreamsOptions): void {
  const streams = new EventStreams(app, options);
  app.get(
    '/api/events',
    {
      config: needs('read', 'filtered'),
      schema: {
        summary: 'Follow events (server-sent events)',
        description: DESCRIPTION,
        tags: ['Stream'],
        querystring: EventsQuery,
        headers: EventsHeaders,
        response: {
          200: {
            description: 'The stream, which ends only when the service stops',
            content: { 'text/event-stream': { schema: z.string() } },
          },
        },
      },
    },
    (request, reply) => {
      const { since, types, terminals, selector } = request.query;
      const { isBound, sees } = request.rights;
      const wanted = { types, selector, terminals: terminals && new Set(terminals) };
      const filter = { ...wanted, ...(isBound && { sees }) };
      streams.open(request, reply, filter, request.headers['last-event-id'] ?? since);
    },
  );
}
