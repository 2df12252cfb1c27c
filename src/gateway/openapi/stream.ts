import { z } from 'zod';
import { MAX_SCREEN_VIEWS } from '../../contract/limits.js';
import { RGB_COLOR } from '../../contract/run-style.js';
import { StreamQuery } from '../../contract/ws-messages.js';
import { failures } from '../failures.js';

const DESCRIPTION = `Answers an upgrade request; both paths do the same. In exposed and guarded mode, pass the token in the
query, as \`token\`.

All frames are JSON texts. The first frame is \`{"id": "welcome", "success": true, "data": {"version", "mode"}}\`; from then
on, no event is missed.

Output of every terminal, or of those in \`terminals\`:
\`{"type": "event", "event": {"type": "output.data", "terminalId", "data": {"content"}}, "timestamp"}\`. \`content\`
includes escape sequences; no character is split between two frames. With \`seq=1\`, \`event.seq\` is the number of bytes
that the terminal has printed up to the end of \`content\`.

With \`snapshot=1\`, each terminal begins with one such event, also an exited one, one that has printed nothing, and one
that is created later: \`content\` is ESC c and the screen, and the event has \`seq\`, \`cols\` and \`rows\`. Its output
continues exactly from there. With \`output=0\` there are no output events.

With \`events=lifecycle\`, the same envelope also carries: \`terminal.created\` (data: the Terminal), \`terminal.exited\`
(\`exitCode\`, \`signal\`, \`exitedAt\`; \`reason\` if the exit status is unknown, \`oomKilled\` if that is known), \`terminal.removed\`, \`terminal.resized\`
(\`cols\`, \`rows\`), \`command.started\` and \`command.finished\` (the Command, as in \`/api/terminals/{id}/commands\`),
\`agent.status\` (\`agent\`, \`agentStatus\`, \`agentStatusReason\`), \`client.attached\` (as in
\`/api/terminals/{id}/clients\`), \`client.detached\` (\`clientId\`, \`name\`, \`reason\`).

With \`events=all\`, it carries every event of \`GET /api/events\` but \`terminal.activity\`, of all terminals and in the same order,
as it happens and without ids, and \`client.attached\` and \`client.detached\`. Events of no terminal have no \`terminalId\`. With
\`activity=1\`, it carries \`terminal.activity\` (\`terminals\`: pairs of a terminal's id and the bytes that it has printed since the
event before), each terminal at most once a second.

A client that cannot keep up misses frames. Once it has caught up, it gets, for each terminal whose frames it missed, one
\`output.data\` with ESC c and the screen, and then the live stream from exactly that point.

Each message of the client carries an \`id\`, which the reply \`{"id", "success", "data"?, "error"?}\` echoes:
\`{"id", "type": "heartbeat"}\`; \`{"id", "type": "subscribe"}\`, which is only acknowledged; and
\`{"id", "type": "command", "payload": {"action", ...}}\`. All other messages and actions are acknowledged and ignored. A
message is at most 1 MiB. The actions:

- \`lease:take\` \`{terminalId, ttlMs, waitMs, takeover, reason, tie}\` takes the lease; with \`tie: "connection"\` it ends with the
  WebSocket. \`lease:renew\` \`{terminalId, leaseId, ttlMs}\` and \`lease:end\` \`{terminalId, leaseId}\` are what the routes are.
- \`terminal:input\` \`{terminalId, data}\` types; with \`origin=user\` it counts as typed by a person.
- \`terminal:resize\` \`{terminalId, cols, rows}\` resizes; the reply has the size of the terminal.
- \`terminal:attach\` \`{terminalId, cols, rows, readOnly?, name?}\` attaches this client to a terminal; the reply has
  \`clientId\`, \`isLeader\`, and the size of the terminal. The attached client that typed last leads: the terminal has its
  size. A client leads at once if nobody but read-only clients is attached. \`terminal:resize\` of an attached client
  resizes the terminal only if it leads. Input of a read-only client is refused. When nobody is left who could lead, the
  terminal gets back the size that was set over the API.
- \`terminal:lead\` \`{terminalId}\` makes the attached client the leader; \`terminal:detach\` \`{terminalId}\` detaches it.
- \`stream:watch\` \`{terminals}\` (ids, or \`"all"\`) replaces the terminals that are watched. With \`snapshot=1\` each new one
  begins with its screen. After the reply nothing of them is missed, and nothing comes of others. \`data.missing\` lists
  the ids that do not exist.
- \`stream:resync\` \`{terminalId}\` sends the screen of a watched terminal again, in its place among the output.
- \`screens:watch\` \`{views: [{terminalId, fps?, priority?}]}\`, with \`screens=1\`, replaces the screens whose rows are
  sent as they change, at most ${MAX_SCREEN_VIEWS}: \`fps\` times a second (0.5 to 10, 2 by default), those of the highest
  \`priority\` (0 to 3) first. \`data.missing\` lists the ids that do not exist.
- \`screens:resync\` \`{terminalId}\` sends all rows of a watched screen next.

The event \`screen.rows\` says what a watched screen shows, for clients that draw many: \`{n, from, cols, rows, alt, cursor:
[col, row, isShown], lines: [[row, runs]]}\`. \`lines\` has the rows that have changed since the frame \`from\`; with
\`from: null\` it has all, and rows that it leaves out are empty. A client that has another frame than \`from\` asks for
\`screens:resync\`. A run is a text in the default style, or \`[text, fg, bg, flags, columns?]\`: a colour is -1 (default),
0 to 255 (palette), or ${RGB_COLOR} + red * 65536 + green * 256 + blue; flags add up (bold 1, dim 2, italic 4, underline 8,
blink 16, inverse 32, hidden 64, struck 128, overlined 256); \`columns\` is there if the text takes others than one for
each UTF-16 unit. Blanks at the end of a row are left out. With \`tooLarge\` the rows do not fit into a frame, and none is
there. A slow client gets fewer frames, never older ones.`;

/** Schema by which the document describes the upgrade request of the WebSocket. */
export const streamSchema = {
  summary: 'Open the live stream and input channel (WebSocket)',
  description: DESCRIPTION,
  tags: ['Stream'],
  security: [{ streamToken: [] }, {}] as Record<string, string[]>[],
  querystring: StreamQuery,
  response: {
    101: z.void().describe('Upgraded: frames follow'),
    ...failures('upgrade-required'),
  },
};
