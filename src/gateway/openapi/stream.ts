import { z } from 'zod';
import { StreamQuery } from '../../contract/ws-messages.js';
import { failures } from '../failures.js';

const DESCRIPTION = `Answers an upgrade request; both paths are the same. In exposed mode the token goes into the query, as \`token\`.

All frames are JSON texts. The first is \`{"id": "welcome", "success": true, "data": {"version", "mode"}}\`; from it on
nothing is missed.

Output of every terminal, or of those in \`terminals\`:
\`{"type": "event", "event": {"type": "output.data", "terminalId", "data": {"content"}}, "timestamp"}\`. \`content\` has
its escape sequences; no character is cut between two frames. With \`seq=1\`, \`event.seq\` is the number of bytes of
that terminal up to the end of \`content\`.

With \`events=lifecycle\` also, in the same envelope: \`terminal.created\` (data: the Terminal), \`terminal.exited\`
(\`exitCode\`, \`signal\`, \`exitedAt\`, \`reason\` where nobody knows), \`terminal.removed\`, \`terminal.resized\` (\`cols\`, \`rows\`),
\`command.started\` and \`command.finished\` (the Command, as of \`/api/terminals/{id}/commands\`), \`agent.status\`
(\`agent\`, \`agentStatus\`, \`agentStatusReason\`).

A client that cannot keep up misses frames; once it has drained it gets, for each terminal that it missed, one
\`output.data\` with ESC c and the screen, and the live stream from exactly there on.

Messages of the client carry an \`id\`, which the reply \`{"id", "success", "data"?, "error"?}\` echoes:
\`{"id", "type": "heartbeat"}\`; \`{"id", "type": "subscribe"}\`, an acknowledgement only; and
\`{"id", "type": "command", "payload": {"action": "terminal:input", "terminalId", "data"}}\`, which types. Others are
acknowledged and ignored. A message is at most 1 MiB.`;

/** Schema by which the document describes the upgrade request of the WebSocket. */
export const streamSchema = {
  summary: 'The live stream and input channel (WebSocket)',
  description: DESCRIPTION,
  tags: ['Stream'],
  security: [{ streamToken: [] }, {}] as Record<string, string[]>[],
  querystring: StreamQuery,
  response: {
    101: z.void().describe('Upgraded: frames follow'),
    ...failures('upgrade-required'),
  },
};
