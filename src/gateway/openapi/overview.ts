import { VERSION } from '../../contract/version.js';

const DESCRIPTION = `The local control plane for fleets of terminals: create, type into, read, watch and wait on real PTYs.

- Bodies are JSON and say so by their content type; at most 8 MiB.
- Every failure is \`{"error", "code"}\`, with \`fix\` where there is something to do. Some routes answer an unknown terminal
  in a 200 that has \`error\`, as they say.
- Every answer has the header \`x-request-id\`: the client's own, or a fresh one.
- By default the service listens on 127.0.0.1 and takes no token. In exposed mode (setting \`network.expose\`)
  every route but \`/health\` and \`/api/health\` needs it.
- Requests that type, and the one that creates a terminal, take the header \`Idempotency-Key\`, which makes a retry safe:
  a request with the key, path and body of an earlier one types nothing twice and gets the answer to that one, with the
  header \`idempotent-replayed: true\`, for 24 h and across restarts. The work goes on when a client that has sent a key
  loses its connection, and so does every run.
- Waits and runs are long polls: they answer when it is so, or when their \`timeoutMs\` is over. Let your HTTP client wait
  longer than that.
- A client that answers for others says so: with \`x-auto-terminal-client: mcp\`, terminals that it creates have the mode
  \`mcp\`, and what it types is theirs as \`lastInputSource\`. One that means a certain instance, as \`/health\` names it, sends
  \`x-auto-terminal-instance\`: any other instance does nothing and answers 421.
- Cursors are opaque, and one and the same thing in every route that gives or takes them.
- Ids are opaque. Timestamps are epoch milliseconds where they are numbers, RFC 3339 where they are strings.
- Examples are requests that the tests send and what the service answers to them; ids, times and folders are made up.
- Objects of answers are described as this version sends them; a later one may add fields.`;

/** Sections of the document, in order. */
const TAGS = {
  Terminals: 'Create, list, look up, label, size and close terminals.',
  'Input and output': 'Type into a terminal, and read what it shows.',
  Execute: 'Type a prompt and submit it, into one terminal or many.',
  Commands: 'What shells run and ran; waiting for it; a command in many terminals at once.',
  Stream: 'The WebSocket: live output, events and input.',
  Profiles: 'Shells that were found, and profiles of the user: what a terminal runs.',
  Recordings: 'Record a terminal, and export what was recorded.',
  Search: 'Full text of what terminals have printed and what was typed into them.',
  Processes: 'What runs in the terminals: foreground programs, agents, CPU and memory.',
  System: 'The machine, the service, its health and its metrics.',
  Layout: 'Tabs and panes, as a user interface shows them.',
  Canvas: 'The graph of terminals and the connections between them.',
  Fleet: 'The same operations across paired machines.',
  Settings: 'The configuration: ports, exposure, token, limits.',
  Documentation: 'This document.',
  Legacy: 'Stubs that older clients call. Do not build against them.',
} as const;

/** The parts of the document that describe the service as a whole. */
export const overview = {
  openapi: '3.1.0',
  info: { title: 'auto-terminal', version: VERSION, description: DESCRIPTION },
  servers: [{ url: '/', description: 'The service that serves this document' }],
  tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
  security: [{ bearer: [] }, {}] as Record<string, string[]>[],
  components: {
    headers: {
      RequestId: {
        description: 'Names the request in the log; the client’s own where it sent a fit one.',
        schema: { type: 'string' as const },
      },
    },
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        description: 'The setting `network.authToken`. Needed in exposed mode only; ignored otherwise.',
      },
      streamToken: {
        type: 'apiKey' as const,
        in: 'query',
        name: 'token',
        description: 'The same token, for WebSocket upgrades. Needed in exposed mode only.',
      },
    },
  },
};
