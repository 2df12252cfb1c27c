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
  flood: { measure: flood, about: 'one flooding terminal, with and without a client, beside other servers' },
  fanout: { measure: fanout, about: 'one terminal at 5 MB/s that 50 clients watch, beside a TCP broadcast' },
  across: { measure: across, about: 'a stream between two machines over TLS, beside a bare NATS stream' },
  routed: {
    measure: routed,
    about: 'commands and reads on another machine, beside the same ones asked for there',
  },
  distant: { measure: distant, about: 'commands on a machine 50 ms away, and a stream from it' },
  machines: {
    measure: machines,
    about: '50 machines in a fleet: the list of their 10,000 terminals, and how soon a dead one is noticed',
  },
  slow: { measure: slow, about: 'a flood beside a client that is 10 times too slow, and the memory for it' },
  pipelined: { measure: pipelined, about: 'a client that sends many requests at once and reads no answer' },
  latency: { measure: latency, about: "a key's echo at rest and beside 20 floods" },
  hostile: { measure: hostile, about: "a key's echo beside output that costs a screen most" },
  busy: {
    measure: busy,
    about: "a client's latency beside 60 programs that use all the processor time they get",
  },
  scale: { measure: scale, about: '4,000 terminals: creating, listing, at rest, changes' },
  idle: { measure: idle, about: 'memory for each of 1,000 idle terminals, beside tmux' },
  agents: { measure: agents, about: '200 programs that redraw six rows 10 times a second, beside tmux' },
  shells: { measure: shells, about: 'memory for each of 200 shells that run commands, scrollback full' },
  batch: { measure: batch, about: 'one line typed into 1,000 terminals, beside tmux' },
  reads: { measure: reads, about: 'output and snapshots of 1,000 terminals, read beside 20 floods' },
  redact: {
    measure: redact,
    about: 'secrets in output: what a search costs where there are none, and what is found in a corpus',
  },
  watches: {
    measure: watches,
    about: "a key's echo beside 1,000 watches over 300 terminals, five of them flooding",
  },
  regex: { measure: regex, about: "a key's echo beside endless regular expressions" },
  run: { measure: run, about: 'a command in 300 shells at once, with its exit codes' },
  audit: { measure: audit, about: 'typing by requests with the audit log, beside typing without' },
  search: { measure: search, about: 'searches of 1 GiB of text, beside grep' },
  churn: {
    measure: churn,
    about: 'all kinds of requests at random for some minutes: wrong answers, memory, files',
  },
  mcp: { measure: mcp, about: 'tool calls beside the same REST calls' },
  events: { measure: events, about: 'events to 1, 10 and 100 clients: rate, delay, and an echo beside them' },
  handover: {
    measure: handover,
    about: 'a restart that leaves 40 terminals running, and a pty host that is renewed with 200',
  },
  command: { measure: command, about: 'the start of the command line, beside a Node that does nothing' },
  'run-output': {
    measure: runOutput,
    about: 'a program that the command line runs with 60 MB into a file, beside the WebSocket',
  },
  'batch-output': {
    measure: batchOutput,
    about: 'a command that the command line runs in 500 shells: its output, and the memory for it',
  },
  screens: { measure: screens, about: 'a client that watches the screens of 100 terminals, beside none' },
  wall: {
    measure: wall,
    about: "the dashboard's wall with 1,000 terminals in a browser, and a key's way to the page",
  },
  'page-memory': {
    measure: pageMemory,
    about: "the memory of the wall's page over some minutes",
  },
  'page-restart': {
    measure: pageRestart,
    about: 'kill -9 of the service with the wall open, until the wall is live again',
  },
  windows: { measure: windows, about: 'a change in one window of the dashboard until another one shows it' },
  sdk: { measure: sdk, about: 'the size of the client for pages' },
};
