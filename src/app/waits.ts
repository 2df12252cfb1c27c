import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AgentLooks } from '../actors/agents/agent-looks.js';
import type { AgentWatch } from '../actors/agents/agent-watch.js';
import type { ServiceFeed } from '../actors/event-log/service-feed.js';
import { Fleet } from '../actors/fleet/fleet.js';
import { Inbox } from '../actors/inbox/inbox.js';
import { ManyWaits } from '../actors/inbox/many-waits.js';
import { KeyedMutex } from '../actors/keyed-mutex.js';
import { Outcomes } from '../actors/outcomes.js';
import { Foreground } from '../actors/processes/foreground.js';
import type { ProcessTable } from '../actors/processes/process-table.js';
import type { Processes } from '../actors/processes/processes.js';
import { Drafts } from '../actors/runs/drafts.js';
import { RunLines } from '../actors/runs/run-lines.js';
import { Runs } from '../actors/runs/runs.js';
import type { System } from '../actors/system.js';
import { LeftDrafts } from '../actors/waits/left-drafts.js';
import { Submissions } from '../actors/waits/submissions.js';
import { WaitLimit } from '../actors/waits/wait-limit.js';
import { Waits } from '../actors/waits/waits.js';
import type { Machine } from '../contract/fleet.js';
import { MAX_WAITS } from '../contract/limits.js';
import type { Principal } from '../contract/principal.js';
import type { RunResult } from '../contract/run.js';
import type { EndedRun } from '../contract/service-event.js';
import type { RunningEngine } from './engine.js';
import type { State } from './state.js';

export interface WaitParts {
  engine: RunningEngine;
  state: State;
  agents: AgentWatch;
  looks: AgentLooks;
  processes: Processes;
  table: ProcessTable;
  system: System;
  /** Returns the other machines of the fleet. */
  otherMachines: () => Machine[];
  /** Returns whether another machine may still run commands in a terminal. */
  mayMachineRun: (machineId: string, terminalId: string) => boolean;
  events: Pick<ServiceFeed, 'runBegan' | 'runEnded'>;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  /** Folder through which shells receive the lines of runs, with one subfolder for each terminal, named by its id. */
  linesFolder: string;
  logger: Logger;
}

/** Creates the parts that wait for events in terminals, and the runs that cause such events. */
export function createWaits(waitParts: WaitParts) {
  const { engine, state, agents, looks, processes, table, system, events, linesFolder, stopping, logger } =
    waitParts;
  const { mayMachineRun } = waitParts;
  const { terminals, screens } = engine;
  const { commands, regexJobs } = state;
  const submissions = new Submissions(terminals.list('all').map(({ id }) => id));
  terminals.subscribe((event) => submissions.onEvent(event));
  const foreground = new Foreground({ table, isTold: process.platform === 'linux' });
  const places = new WaitLimit(MAX_WAITS);
  const parts = { terminals, screens, commands, submissions, foreground, places };
  const leftDrafts = new LeftDrafts({
    ...{ parts, gate: terminals.gate },
    onFault: (err, terminal) => logger.error({ err, terminal }, 'the line of a shell could not be looked at'),
  });
  terminals.subscribe((event) => leftDrafts.onEvent(event));
  stopping.addEventListener('abort', () => leftDrafts.stop(), { once: true });
  const outcomes = new Outcomes();
  const lines = new RunLines((id) => join(linesFolder, id));
  const turns = new KeyedMutex();
  const drafts = new Drafts({ parts, terminals, turns, stopping, logger });
  drafts.putBackAll();
  terminals.subscribe((event) => {
    drafts.onEvent(event);
    if (event.type !== 'removed') return;
    lines.forget(event.id).catch((err: unknown) => {
      logger.warn({ err, terminal: event.id }, 'the folder of a closed terminal could not be removed');
    });
  });
  const onResult = (result: RunResult) => outcomes.count(result);
  const onBegan = (runId: string) => events.runBegan(runId);
  const onEnded = (run: EndedRun) => events.runEnded(run);
  const mayType = ({ token, machineId }: Principal, terminalId: string) =>
    engine.access.refusal('run', token, terminalId) === undefined &&
    (machineId === undefined || mayMachineRun(machineId, terminalId));
  const runs = new Runs({
    ...{ ...parts, lines, turns, store: state.runs, onResult, onBegan, onEnded, stopping, logger, mayType },
  });
  const inbox = new Inbox({ terminals, commands, processes, agents, looks });
  return {
    manyWaits: new ManyWaits({ terminals, inbox, places }),
    waits: outcomes.ofWaits(new Waits({ ...parts, agents, jobs: regexJobs })),
    runs,
    /** The parts that find out whether a shell is at rest. */
    shellParts: { terminals, screens, commands, submissions, foreground, leftDrafts },
    fleet: new Fleet({ terminals, screens, runs, system, others: waitParts.otherMachines }),
    places,
    outcomes,
  };
}
