import type { LimitFunction } from 'p-limit';
import type { Spill } from '../kept.js';
import type { HostConnection } from '../pty-host/client/host-client.js';
import type { Activity } from './activity.js';
import type { AwakeScreenLru } from './awake-screen-lru.js';
import type { ParseLoop } from './parse-loop.js';
import type { ReadMemory } from './read-memory.js';
import type { SpareScreen } from './screen/spare-screen.js';
import type { FeedRenderer } from './stages/feed-renderer.js';
import type { StreamPort } from './stream-port.js';
import type { Subscriptions } from './subscriptions.js';
import type { LineSearches } from './watches/line-searches.js';

/** Parts of a shard that its terminals share. */
export interface ShardContext {
  host: HostConnection;
  loop: ParseLoop;
  awake: AwakeScreenLru;
  interest: Subscriptions;
  activity: Activity;
  searches: LineSearches;
  memory: ReadMemory;
  port: StreamPort;
  renderer: FeedRenderer;
  /** Renders ranges of output in the order of the requests, MAX_RENDERS at a time: each needs a screen of its own. */
  renders: LimitFunction;
  /** Lets one sleeping screen at a time be woken for the shard itself. */
  wakes: LimitFunction;
  /** Where data of sleeping terminals is stored. */
  spill: Spill;
  spare: SpareScreen;
  /** Counts over all terminals of the shard; terminals only add to them. */
  counters: { outputBytes: number };
  /** Ids of the recordings whose files are being written. */
  recordings: Set<string>;
  /** Lines of scrollback. */
  scrollback: number;
}
