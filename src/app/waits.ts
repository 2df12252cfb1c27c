import { join } from 'node:path';
import type { Logger } from 'pino';
import type { AgentWatch } from '../actors/agents/agent-watch.js';
import { Fleet } from '../actors/fleet/fleet.js';
import { Outcomes } from '../actors/outcomes.js';
import { Foreground } from '../actors/processes/foreground.js';
import type { ProcessTable } from '../actors/processes/process-table.js';
import { Drafts } from '../actors/runs/drafts.js';
import { RunLines } from '../actors/runs/run-lines.js';
import { Runs } from '../actors/runs/runs.js';
import type { System } from '../actors/system.js';
import { Submissions } from '../actors/waits/submissions.js';
import { WaitLimit } from '../actors/waits/wait-limit.js';
import { Waits } from '../actors/waits/waits.js';
import { MAX_WAITS } from '../contract/limits.js';
import type { RunResult } from '../contract/run.js';
import type { RunningEngine } from './engine.js';
import type { State } from './state.js';

export interface WaitParts {
  engine: RunningEngine;
  state: State;
  agents: AgentWatch;
  table: ProcessTable;
  system: System;
  /** Fires when the service stops. */
  stopping: AbortSignal;
  /** Folder through which shells receive the lines of runs, with one subfolder for each terminal, named by its id. */
  linesFolder: string;
  logger: Logger;
}

/** Creates the parts that wait for events in terminals, and the runs that cause such events. */
export function createWaits(waitParts: WaitParts) {
  const { engine, state, agents, table, system, linesFolder, stopping, logger } = waitParts;
  const { terminals, screens } = engine;
  const { commands, regexJobs } = state;
  const submissions = new Submissions(terminals.list('all').map(({ id }) => id));
  terminals.subscribe((event) => submissions.onEvent(event));
  const foreground = new Foreground({ table, isTold: process.platform === 'linux' });
  const places = new WaitLimit(MAX_WAITS);
  const parts = { terminals, screens, commands, submissions, foreground, places };
  const outcomes = new Outcomes();
  const lines = new RunLines((id) => join(linesFolder, id));
  const drafts = new Drafts({ terminals, commands, logger });
  drafts.putBackAll();
  terminals.subscribe((event) => {
    drafts.onEvent(event);
    if (event.type !== 'removed') return;
    lines.forget(event.id).catch((err: unknown) => {
      logger.warn({ err, terminal: event.id }, 'the folder of a closed terminal could not be removed');
    });
  });
  const onResult = (result: RunResult) => outcomes.count(result);
  const runs = new Runs({ ...parts, lines, store: state.runs, onResult, stopping, logger });
  return {
    waits: outcomes.ofWaits(new Waits({ ...parts, agents, jobs: regexJobs })),
    runs,
    fleet: new Fleet({ terminals, screens, runs, system }),
    places,
    outcomes,
  };
}
