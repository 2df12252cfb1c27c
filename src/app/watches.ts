import type { Logger } from 'pino';
import type { EventLog } from '../actors/event-log/event-log.js';
import { Patterns } from '../actors/waits/patterns.js';
import { WATCH_CODEC } from '../actors/watches/kept-watch.js';
import { Watches } from '../actors/watches/watches.js';
import { ACTING, type Store } from '../store/store.js';
import { hrMs } from '../workers/clock.js';
import type { JobPool } from '../workers/jobs/pool.js';

export interface WatchParts {
  store: Store;
  events: EventLog;
  /** A pool of one thread that nothing else uses. */
  jobs: JobPool;
  logger: Logger;
}

/** Creates the watches of the store. They do nothing before they are started. */
export function createWatches({ store, events, jobs, logger }: WatchParts): Watches {
  return new Watches({
    collection: store.collection(ACTING.watches, WATCH_CODEC),
    ...{ log: events, patterns: new Patterns(jobs), now: hrMs, logger },
  });
}
