import { across } from './cases/across.js';
import { agents } from './cases/agents.js';
import { audit } from './cases/audit.js';
import { batch } from './cases/batch.js';
import { batchOutput } from './cases/batch-output.js';
import { busy } from './cases/busy.js';
import { churn } from './cases/churn.js';
import { command } from './cases/command.js';
import { distant } from './cases/distant.js';
import { events } from './cases/events.js';
import { fanout } from './cases/fanout.js';
import { flood } from './cases/flood.js';
import { handover } from './cases/handover.js';
import { hostile } from './cases/hostile.js';
import { idle } from './cases/idle.js';
import { latency } from './cases/latency.js';
import { machines } from './cases/machines.js';
import { mcp } from './cases/mcp.js';
import { pageMemory } from './cases/page-memory.js';
import { pageRestart } from './cases/page-restart.js';
import { pipelined } from './cases/pipelined.js';
import { reads } from './cases/reads.js';
import { redact } from './cases/redact.js';
import { regex } from './cases/regex.js';
import { routed } from './cases/routed.js';
import { run } from './cases/run.js';
import { runOutput } from './cases/run-output.js';
import { scale } from './cases/scale.js';
import { screens } from './cases/screens.js';
import { sdk } from './cases/sdk.js';
import { search } from './cases/search.js';
import { shells } from './cases/shells.js';
import { slow } from './cases/slow.js';
import { wall } from './cases/wall.js';
import { watches } from './cases/watches.js';
import { windows } from './cases/windows.js';
import type { Case } from './support/bench.js';

export interface CaseEntry {
  measure: Case;
  /** A line for the help. */
  about: string;
}

/** All cases, in the order of a whole run. */
export const CASES: Record<string, CaseEntry> = {
  flood: {
    measure: flood,
    about: 'one flooding terminal, with and without a client, compared with other servers',
  },
  fanout: {
    measure: fanout,
    about: 'one terminal at 5 MB/s that 50 clients watch, compared with a TCP broadcast',
  },
  across: {
    measure: across,
    about: 'a stream between two machines over TLS, compared with a stream over NATS alone',
  },
  routed: {
    measure: routed,
    about: 'commands and reads on another machine, compared with the same requests sent to that machine',
  },
  distant: { measure: distant, about: 'commands on a machine 50 ms away, and a stream from it' },
  machines: {
    measure: machines,
    about: '50 machines in a fleet: the list of their 10,000 terminals, and how soon a dead one is noticed',
  },
  slow: { measure: slow, about: 'a flood with a client that is 10 times too slow, and the memory for it' },
  pipelined: { measure: pipelined, about: 'a client that sends many requests at once and reads no answer' },
  latency: { measure: latency, about: "a key's echo at rest and during 20 floods" },
  hostile: {
    measure: hostile,
    about: "a key's echo while another terminal prints the output that takes a screen longest",
  },
  busy: {
    measure: busy,
    about: "a client's latency while 60 programs use all the processor time they get",
  },
  scale: {
    measure: scale,
    about: '4,000 terminals: time to create, list and read changes, and the cost at rest',
  },
  idle: { measure: idle, about: 'memory for each of 1,000 idle terminals, compared with tmux' },
  agents: {
    measure: agents,
    about: '200 programs that redraw six rows 10 times a second, compared with tmux',
  },
  shells: { measure: shells, about: 'memory for each of 200 shells that run commands, scrollback full' },
  batch: { measure: batch, about: 'one line typed into 1,000 terminals, compared with tmux' },
  reads: { measure: reads, about: 'output and snapshots of 1,000 terminals, read during 20 floods' },
  redact: {
    measure: redact,
    about: 'secrets in output: time to search text without secrets, and share found in a corpus',
  },
  watches: {
    measure: watches,
    about: "a key's echo with 1,000 watches over 300 terminals, five of them flooding",
  },
  regex: { measure: regex, about: "a key's echo while endless regular expressions run" },
  run: { measure: run, about: 'a command in 300 shells at once: time, and share of right exit codes' },
  audit: { measure: audit, about: 'typing by requests with the audit log, compared with typing without' },
  search: { measure: search, about: 'searches of 1 GiB of text, compared with grep' },
  churn: {
    measure: churn,
    about: 'all kinds of requests at random for some minutes: wrong answers, memory, files',
  },
  mcp: { measure: mcp, about: 'tool calls, compared with the same REST calls' },
  events: {
    measure: events,
    about: "events to 1, 10 and 100 clients: rate, delay, and a key's echo meanwhile",
  },
  handover: {
    measure: handover,
    about: 'a restart while 40 terminals keep running, and a renewal of a pty host with 200',
  },
  command: {
    measure: command,
    about: 'the start of the command line, compared with a Node that runs an empty program',
  },
  'run-output': {
    measure: runOutput,
    about:
      'a program with 60 MB of output that the command line runs into a file, compared with the WebSocket',
  },
  'batch-output': {
    measure: batchOutput,
    about: 'a command that the command line runs in 500 shells: its output, and the memory for it',
  },
  screens: {
    measure: screens,
    about: 'a client that watches the screens of 100 terminals, compared with no client',
  },
  wall: {
    measure: wall,
    about:
      "the dashboard's wall with 1,000 terminals in a browser, and the time from a key to its echo in the page",
  },
  'page-memory': {
    measure: pageMemory,
    about: "the memory of the wall's page over some minutes",
  },
  'page-restart': {
    measure: pageRestart,
    about: 'kill -9 of the service with the wall open, until the wall is live again',
  },
  windows: {
    measure: windows,
    about: 'time from a change in one window of the dashboard until another window shows it',
  },
  sdk: { measure: sdk, about: 'the size of the client library for web pages' },
};
