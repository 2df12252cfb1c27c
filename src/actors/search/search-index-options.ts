import type { Logger } from 'pino';
import type { SearchStore } from '../../store/search/search-store.js';
import type { JobPool } from '../../workers/jobs/pool.js';
import type { TypedText } from '../../workers/shard/protocol.js';
import type { RedactedTextOptions } from './redacted-text.js';

export interface SearchIndexOptions {
  store: SearchStore;
  jobs: Pick<JobPool, 'run' | 'runInIdle'>;
  /** Setting `search.index`; read for each document. */
  isEnabled: () => boolean;
  /** Whether the disk has too little room for more text. */
  isPaused: () => boolean;
  /** How secrets are kept out of the index. */
  redaction: RedactedTextOptions;
  /** Resolves once everything printed by now has been passed to {@link SearchIndex.onEvent}. */
  settleFeeds: () => Promise<void>;
  /** See {@link ShardApi.isShown}; rejects if that cannot be found out. */
  isShown: (terminalId: string, typed: TypedText) => Promise<boolean>;
  logger: Pick<Logger, 'warn' | 'error'>;
}
