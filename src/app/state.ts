import type { Logger } from 'pino';
import { Audit } from '../actors/audit/audit.js';
import { Canvas } from '../actors/canvas/canvas.js';
import { Commands } from '../actors/commands/commands.js';
import { KEPT_CODEC } from '../actors/commands/kept-record.js';
import { CustomProfiles } from '../actors/custom-profiles.js';
import { DiskWatch } from '../actors/disk-watch.js';
import type { EventLog } from '../actors/event-log/event-log.js';
import { Layout } from '../actors/layout/layout.js';
import { OPERATION_CODEC } from '../actors/operations/kept-operation.js';
import { Operations } from '../actors/operations/operations.js';
import type { Prompts } from '../actors/prompts/prompts.js';
import { Recordings } from '../actors/recordings/recordings.js';
import { Retention } from '../actors/recordings/retention.js';
import { Redaction } from '../actors/redaction/redaction.js';
import { RUN_CODEC } from '../actors/runs/kept-run.js';
import { RunStore } from '../actors/runs/run-store.js';
import type { Screens } from '../actors/screens.js';
import { SearchIndex } from '../actors/search/search-index.js';
import type { Terminals } from '../actors/terminals.js';
import type { Watches } from '../actors/watches/watches.js';
import type { WebhookTimes } from '../actors/webhooks/webhook-sender.js';
import type { Webhooks } from '../actors/webhooks/webhooks.js';
import type { LiveConfig } from '../config/live-config.js';
import type { Paths } from '../config/paths.js';
import { claimState } from '../config/state-formats.js';
import {
  IDEMPOTENT_REQUEST_MS,
  MAX_IDEMPOTENT_BYTES,
  MAX_IDEMPOTENT_REQUESTS,
  MAX_OPERATIONS_JOURNAL_BYTES,
} from '../contract/limits.js';
import { AuditLog } from '../store/audit/audit-log.js';
import { Journal } from '../store/journal.js';
import { openStore } from '../store/lmdb-store.js';
import { SearchStore } from '../store/search/search-store.js';
import { hrMs } from '../workers/clock.js';
import { JobPool } from '../workers/jobs/pool.js';
import { type AccessState, openAccess } from './access.js';
import { openEventLog } from './events.js';
import { createPrompts } from './prompts.js';
import { createWatches } from './watches.js';
import { createWebhooks } from './webhooks.js';

export interface StateOptions {
  config: LiveConfig;
  paths: Paths;
  logger: Logger;
  /** Called only once the terminals exist. */
  terminals: () => Pick<Terminals, 'amend' | 'shards' | 'startOf' | 'announce' | 'list'>;
  screens: () => Pick<Screens, 'rangeText' | 'expectMarks' | 'isShown'>;
  /** Times of webhooks; tests have shorter ones. */
  webhookTimes?: WebhookTimes | undefined;
}

/** The state on disk that outlives the service, and the parts that keep it. */
export interface State {
  access: AccessState;
  audit: Audit;
  custom: CustomProfiles;
  recordings: Recordings;
  redaction: Redaction;
  retention: Retention;
  search: SearchIndex;
  commands: Commands;
  operations: Operations;
  runs: RunStore;
  canvas: Canvas;
  layout: Layout;
  events: EventLog;
  webhooks: Webhooks;
  watches: Watches;
  prompts: Prompts;
  disk: DiskWatch;
  /** Thread for exports. */
  jobs: JobPool;
  /** A thread of its own for screenshots, since a screenshot of a large screen can take seconds. */
  screenshotJobs: JobPool;
  /** Threads of their own for searches, so that long exports do not delay them. */
  searchJobs: JobPool;
  /** A thread of its own for regular expressions, since an expression that runs too long is ended with its thread. */
  regexJobs: JobPool;
  /** Resolves once everything is written. */
  close(): Promise<void>;
}

/**
 * Opens everything in the data folder. Sets aside what cannot be read, with a log line. Throws ConfigError if a later
 * release has written the folder.
 */
export async function openState(options: StateOptions): Promise<State> {
  const { config, paths, logger, terminals, screens, webhookTimes: times } = options;
  await claimState(paths);
  const disk = new DiskWatch({ folder: paths.dataFolder, logger });
  await disk.start();
  const store = await openStore(paths.storeFolder, logger);
  const journal = Journal.open(paths.operationsJournal, MAX_OPERATIONS_JOURNAL_BYTES);
  const onFault = (err: Error) => logger.warn({ err }, 'a thread for jobs could not start, or has died');
  // Slices of all exports take turns on one thread: two threads double the memory, and the disk is no faster.
  const jobs = new JobPool({ maxThreads: 1, onFault });
  const redaction = await Redaction.open({
    ...{ store, logger, keyFile: paths.redactionKeyFile },
    settings: () => config.current.redact,
    isOn: () => {
      const { search, recordings, audit } = config.current;
      return search.redact || recordings.redactExports || (audit.enabled && audit.text === 'redacted');
    },
    needed: () => [
      ...terminals()
        .list('all')
        .map(({ id }) => id),
      ...recordings.terminalIds(),
    ],
  });
  const recordings: Recordings = await Recordings.load({
    ...{ folder: paths.recordingsFolder, jobs, logger },
    redactionOf: (id) => redaction.planOf(id),
  });
  const retention = new Retention({
    limits: () => config.current.recordings,
    recordings: () => recordings.finished(),
    delete: (id) => recordings.delete(id),
    logger,
  });
  retention.start();
  // A user who types a query waits for the result, so a thread stays ready and no search waits for its start.
  const searchJobs = new JobPool({ readyThreads: 1, onFault });
  const regexJobs = new JobPool({ maxThreads: 1, onFault });
  const screenshotJobs = new JobPool({ maxThreads: 1, onFault });
  const searchStore = await SearchStore.open({
    folder: paths.searchFolder,
    maxBytes: () => config.current.search.maxBytes,
    logger,
  });
  const search = new SearchIndex({
    store: searchStore,
    jobs: searchJobs,
    isEnabled: () => config.current.search.index,
    isPaused: () => disk.isLow,
    redaction: { isOn: () => config.current.search.redact, finderOf: (id) => redaction.finderOf(id) },
    settleFeeds: async () => {
      await (await terminals().shards).settle();
      await commands.settled();
    },
    isShown: (id, typed) => screens().isShown(id, typed),
    logger,
  });
  const commands = new Commands({
    shelf: store.shelf('commands', KEPT_CODEC),
    index: search,
    isIndexing: () => search.isFeeding,
    ownerOf: (runId) => runs.get(runId)?.who,
    ...{ terminals, screens, logger },
  });
  const layout = new Layout({
    store,
    logger,
    onMoved: (id, tabId) =>
      terminals()
        .amend(id, { tabId })
        .catch((err: Error) => {
          logger.warn({ err, terminal: id }, 'the new tab of a terminal could not be stored');
        }),
  });
  const events = await openEventLog(store, logger);
  const webhooks = createWebhooks({ store, events, logger, times });
  const audit = new Audit({
    open: () =>
      new AuditLog({
        folder: paths.auditFolder,
        keeping: () => config.current.audit,
        onSyncFault: (err) => logger.error({ err }, 'the audit log is not on the disk yet, or not shortened'),
      }),
    folder: paths.auditFolder,
    settings: () => config.current.audit,
    secretsOf: (id) => redaction.finderOf(id),
    logger,
  });
  // A thread of its own: an expression of a watch that runs too long delays no wait.
  const watchJobs = new JobPool({ maxThreads: 1, onFault });
  const watches = createWatches({ store, events, jobs: watchJobs, logger });
  const prompts = createPrompts({ store, events, logger });
  const runs = new RunStore(store.shelf('runs', RUN_CODEC), logger);
  return {
    access: openAccess(store, logger),
    audit,
    custom: new CustomProfiles(store),
    recordings,
    redaction,
    retention,
    search,
    commands,
    runs,
    operations: new Operations({
      shelf: store.shelf('operations', OPERATION_CODEC),
      journal,
      maxOperations: MAX_IDEMPOTENT_REQUESTS,
      maxBytes: MAX_IDEMPOTENT_BYTES,
      maxMs: IDEMPOTENT_REQUEST_MS,
      now: hrMs,
      isRunKept: (runId) => runs.has(runId),
      logger,
    }),
    canvas: new Canvas({ store, logger }),
    layout,
    events,
    webhooks,
    watches,
    prompts,
    disk,
    jobs,
    searchJobs,
    regexJobs,
    screenshotJobs,
    close: async () => {
      disk.stop();
      await retention.stop();
      await layout.settled();
      await search.close();
      await commands.close();
      await runs.close();
      await prompts.stop();
      await watches.stop();
      await webhooks.stop();
      await events.close();
      await audit.close();
      const pools = [jobs, searchJobs, regexJobs, screenshotJobs, watchJobs];
      await Promise.all(pools.map((pool) => pool.close()));
      await store.close();
      journal.close();
    },
  };
}
