import type { ShardReport } from '../../actors/shards.js';
import type { LoopDelay } from '../../workers/loop-delay.js';
import type { StreamFigures } from '../ws/fan-out.js';

/** Where the metrics come from; everything is asked at a scrape, and counts on its own until then. */
export interface MetricsSources {
  terminals: () => { running: number; exited: number };
  /** Since the service began. */
  traffic: { readonly created: number; readonly typedBytes: number };
  shards: () => Promise<ShardReport[]>;
  stream: () => StreamFigures;
  jobs: () => { queued: number };
  recordings: () => { active: number };
  /** Bytes of text since the service began: taken into the index, and left out for want of time. */
  search: () => { indexedBytes: number; leftOutBytes: number };
  /** Of the main thread, since the call before. */
  loopDelay: () => LoopDelay;
}
