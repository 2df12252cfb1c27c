/** Names the backend that the terminals of a test run are created on; see support/backend.ts. */
export const BACKEND = 'AUTO_TERMINAL_TEST_BACKEND';

/** Tests that share their modules from file to file. */
export const UNIT_TESTS = ['test/unit/**/*.test.ts'];

/**
 * Tests of what terminals do on any backend: these run a second time, in tmux. The list leaves out tests that reveal no
 * more about the backend than their neighbours: each shell's answers to a run and its prompts, patterns of waits, the
 * feed of the index, exports, pictures, labels.
 */
export const TERMINAL_TESTS = [
  'test/engine/{exactness,paste,recording-checkpoint,shard-*,shell-*}.test.ts',
  'test/engine/pty-host-{input,kill,life,limits,output,stream}.test.ts',
  'test/api/{api-socket-peer,commands,websocket,websocket-commands}.test.ts',
  'test/api/rest-{agents,capture,changes,execute,fleet,io,keys,lease,legacy,terminals}.test.ts',
  'test/api/rest-{processes,process-metrics,profiles-used,recordings,search,signal}.test.ts',
  'test/api/rest-batch-run{,-startup}.test.ts',
  'test/api/rest-wait{,-text}.test.ts',
  'test/faults/{host-killed,service-killed,shard-killed}.test.ts',
];

/**
 * Tests that start hundreds of programs at once. They run after all others: beside them, a program waits half a second
 * at a time for a processor, which no other test's deadline allows for.
 */
export const CROWDED_TESTS = [
  'test/api/{rest-batch-run-many,rest-run-stream-many}.test.ts',
  'test/mcp/many-terminals.test.ts',
];

/** Tests with many random cases: `npm test` tries a fifth of them, `npm run test:rest` all. See support/tries.ts. */
export const RANDOM_TESTS = [
  'test/unit/{admission,input-gate-property,packed-rows,printed,range-piece,range-pieces-long,recorder}.test.ts',
  'test/unit/{redraws,row-copies,screen-links,screen-property,search-feed-plain,secret-pattern}.test.ts',
  'test/unit/{spare-screen,watch-lines,webhook-sender}.test.ts',
];

/**
 * Tests that take long: `npm test` leaves them out, so that it stays short, and `npm run test:all` runs them. Each has
 * shorter neighbours that fail first when daily work breaks something.
 */
export const LONG_TESTS = [
  // Odd cases of real shells and programs; the ordinary cases run in `npm test`.
  'test/unit/{commands-kept,fleet-stream-window,runs-sentinel,store-room,tmux-styled-rows}.test.ts',
  'test/engine/{shell-bash-keys-options,shell-bash-options,shell-bash-preexec,shell-marks}.test.ts',
  'test/engine/{pty-host-limits,pty-host-nice,pty-host-zombie,pty-starters}.test.ts',
  'test/api/{commands-typed-by,rest-input-gate,snapshot-joined,websocket-commands}.test.ts',
  'test/command/{audit,verbs-careful}.test.ts',
  // Deaths, full disks and clients that misbehave.
  'test/faults/*.test.ts',
  // Fleets of several services with a hub.
  'test/api/fleet-*.test.ts',
  'test/command/fleet-live.test.ts',
  'test/dashboard/machines*.test.ts',
  'test/api/{commands-exact,rest-fuzz,search-feed,settings-mcp}.test.ts',
  // Many seeds, many shells, and patterns that take their time.
  'test/api/{runs-interleaved,runs-own-answer,rest-batch-run-programs,rest-batch-run-refused}.test.ts',
  'test/api/{rest-batch-run-shells,rest-limits-many,rest-prompts,rest-prompts-dropped,rest-prompts-waiting,rest-run-stream-random,rest-watches}.test.ts',
  'test/api/{rest-wait-echo,rest-wait-many,rest-wait-regex,rest-wait-shell}.test.ts',
  'test/engine/{exactness,paste,pty-host-input,pty-host-kill,pty-host-life,pty-host-once}.test.ts',
  'test/engine/{pty-host-limits-kept,pty-host-output,pty-host-own-limits,pty-host-renew,pty-host-spill,pty-reaper}.test.ts',
  'test/engine/{shard-order,shell-bash-keys,shell-keys,time-slice}.test.ts',
  'test/unit/{lazy-screen,screen-steps,sidecar-deaths}.test.ts',
  // Each test starts one or several services of its own, or watches for a long time.
  'test/api/{api-socket,api-socket-peer,dashboard-listener,dashboard-session,log-lines,other-users}.test.ts',
  'test/api/{rest-authentication,rest-backend,rest-changes,rest-fleet}.test.ts',
  'test/api/{rest-labels,rest-metrics,rest-process-metrics,rest-processes}.test.ts',
  'test/api/{access-ends,access-grants,access-guarded,access-prompts,access-routes,access-scope}.test.ts',
  'test/api/{access-websocket,access-work}.test.ts',
  'test/command/{prompts,token}.test.ts',
  'test/api/{rest-profiles,rest-recordings-export,rest-redaction,rest-signal}.test.ts',
  'test/api/{mcp-exposed,rest-audit,rest-client-header,rest-instance,rest-profiles-used,rest-run-stream}.test.ts',
  'test/api/{rest-watches-many,rest-webhooks}.test.ts',
  'test/api/{rest-stream,rest-system,rest-terminal-limits,secrets,ws-screens,ws-snapshot}.test.ts',
  'test/command/{attach-exits,attach-extremes,attach-leaving,attach-queries,fleet,lease,limits,play}.test.ts',
  'test/command/{service,start,stop,top}.test.ts',
  'test/command/{verbs-errors,verbs-jobs,verbs-many,verbs-settings}.test.ts',
  'test/client/{sdk,sdk-failures}.test.ts',
  'test/examples/{orchestrator,readme}.test.ts',
  'test/state/newer.test.ts',
  // Agents that are drawn in real time, and pictures.
  'test/api/{rest-agents,rest-events-agents,rest-screenshot}.test.ts',
  // Fetches two more Nodes, and starts a browser.
  'test/client/everywhere.test.ts',
  // Pages in a browser; the parts of pages that need no browser have unit tests.
  'test/dashboard/!(sizes).test.ts',
  // Terminals in tmux.
  'test/engine/tmux-*.test.ts',
  // A service that sends nonsense to an attached client; the usual ways to leave an attachment have other tests.
  'test/command/attach-faults.test.ts',
  // Starts a systemd manager of its own, and the service a dozen times.
  'test/command/service-managed.test.ts',
  // Fetches the native parts, and installs into a prefix of its own.
  'test/command/installed.test.ts',
  'test/mcp/{conformance,environment,guard,guarded,inspector,long-calls,many-clients,request-ids,rotation,sdk-http,sdk-stdio,stop}.test.ts',
  'test/mcp/{tls,tools-repeated,tools-wait}.test.ts',
];
