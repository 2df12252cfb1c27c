import { z } from 'zod';
import { StreamQuery } from '../../contract/ws-messages.js';
import { failures } from '../failures.js';

const DESCRIPTION = `Answers an upgrade request; both paths do the same. In exposed mode, pass the token in the query, as \`token\`.

All frames are JSON texts. The first frame is \`{"id": "welcome", "success": true, "data": {"version", "mode"}}\`; from then
on, no event is missed.

Output of every terminal, or of those in \`terminals\`:
\`{"type": "event", "event": {"type": "output.data", "terminalId", "data": {"content"}}, "timestamp"}\`. \`content\`
includes escape sequences; no character is split between two frames. With \`seq=1\`, \`event.seq\` is the number of bytes
that the terminal has printed up to the end of \`content\`.

With \`events=lifecycle\`, the same envelope also carries: \`terminal.created\` (data: the Terminal), \`terminal.exited\`
(\`exitCode\`, \`signal\`, \`exitedAt\`; \`reason\` if the exit status is unknown), \`terminal.removed\`, \`terminal.resized\`
(\`cols\`, \`rows\`), \`command.started\` and \`command.finished\` (the Command, as in \`/api/terminals/{id}/commands\`),
\`agent.status\` (\`agent\`, \`agentStatus\`, \`agentStatusReason\`).

A client that cannot keep up misses frames. Once it has caught up, it gets, for each terminal whose frames it missed, one
\`output.data\` with ESC c and the screen, and then the live stream from exactly that point.

Each message of the client carries an \`id\`, which the reply \`{"id", "success", "data"?, "error"?}\` echoes:
\`{"id", "type": "heartbeat"}\`; \`{"id", "type": "subscribe"}\`, which is only acknowledged; and
\`{"id", "type": "command", "payload": {"action": "terminal:input", "terminalId", "data"}}\`, which types. All other messages
are acknowledged and ignored. A message is at most 1 MiB.`;

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
