import { VERSION } from '../../contract/version.js';

const DESCRIPTION = `The local control plane for fleets of terminals: create, type into, read, watch and wait on real PTYs.

- Bodies are JSON, declared as such by their content type, and at most 8 MiB.
- Every failure is \`{"error", "code"}\`, with \`fix\` if there is something that you can do. For an unknown terminal, some
  routes answer 200 with \`error\`, as their descriptions say.
- Every answer has the header \`x-request-id\`: the id that the client sent, or a new id.
- By default the service listens on 127.0.0.1 and requires no token. In exposed mode (setting \`network.expose\`),
  every route except \`/health\` and \`/api/health\` requires the token. In guarded mode (setting \`access.mode\`) they
  require a token that allows them: \`x-verbs\` says which verbs, \`x-reach\` how a token is treated that is bound to some
  terminals. See \`POST /api/tokens\`.
- Requests that type, and the request that creates a terminal, take the header \`Idempotency-Key\`, which makes a retry
  safe. A request with the key, path and body of an earlier request types nothing again; it gets the answer to the
  earlier request, with the header \`idempotent-replayed: true\`, for 24 h and across restarts. If a client that has sent a
  key loses its connection, the work continues. Runs continue in any case.
- Waits and runs are long polls: they answer once the event has happened, or when their \`timeoutMs\` has passed. Give your
  HTTP client a longer timeout.
- A client that acts for others declares it: with \`x-auto-terminal-client: mcp\`, the terminals that it creates have the
  mode \`mcp\`, and its input has \`mcp\` as \`lastInputSource\`. A client that means a particular instance, as \`/health\`
  names it, sends \`x-auto-terminal-instance\`; any other instance does nothing and answers 421.
- Cursors are opaque. A cursor from one route is valid in every route that takes a cursor.
- Ids are opaque. Timestamps that are numbers are epoch milliseconds; timestamps that are strings are RFC 3339.
- The examples are requests that the tests send, with the answers of the service; ids, times and folders are made up.
- Answers are described as this version sends them; a later version may add fields.`;

/** Sections of the document, in order. */
const TAGS = {
  Terminals: 'Create, list, look up, label, size and close terminals.',
  'Input and output': 'Type into a terminal, and read what it shows.',
  Execute: 'Type a prompt and submit it, into one terminal or many.',
  Commands: 'List the commands of shells, wait for them, and run a command in many terminals at once.',
  Stream: 'The WebSocket: live output, events and input.',
  Watches: 'Search what terminals print, as it is printed, and act on it.',
  Webhooks: 'Post events to the URLs of other programs.',
  Profiles: 'Detected shells and custom profiles, which terminals run.',
  Recordings: 'Record terminals, and export the recordings.',
  Search: 'Search the full text of what terminals have printed and what was typed into them.',
  Processes: 'The foreground programs, agents, CPU and memory use of terminals.',
  System: 'The machine, the service, its health and its metrics.',
  Layout: 'Tabs and panes, as a user interface shows them.',
  Canvas: 'The graph of terminals and the connections between them.',
  Fleet: 'The same operations across paired machines.',
  Audit: 'What clients have done, if the setting `audit.enabled` keeps it.',
  Tokens: 'What clients may do, if the setting `access.mode` is `guarded`.',
  Settings: 'The configuration: ports, exposure, token, limits.',
  Dashboard: 'The login of browsers, on the port of the dashboard.',
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
        description: 'Names the request in the log: the id that the client sent, if valid, or a new id.',
        schema: { type: 'string' as const },
      },
    },
    securitySchemes: {
      bearer: {
        type: 'http' as const,
        scheme: 'bearer',
        description:
          'The setting `network.authToken`, required in exposed mode; in guarded mode that, or a token of `POST /api/tokens`. Ignored otherwise.',
      },
      streamToken: {
        type: 'apiKey' as const,
        in: 'query',
        name: 'token',
        description:
          'The same token, for WebSocket upgrades. Required in exposed and guarded mode, ignored otherwise.',
      },
    },
  },
};
