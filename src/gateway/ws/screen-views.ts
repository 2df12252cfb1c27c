import type { ScreenRowsCalls } from '../../actors/shards-options.js';
import {
  MAX_SCREENS_A_TICK,
  RESYNC_BELOW_BYTES,
  SCREEN_SOON_MS,
  SCREEN_TICK_MS,
} from '../../contract/limits.js';
import type { ScreenViewRequest } from '../../contract/screen-rows.js';
import type { RowsAnswer, RowsQuery } from '../../workers/shard/screen-rows-api.js';
import type { StreamClient } from './stream-client.js';

/** The source of rows. */
export interface RowsSource {
  rows(queries: readonly RowsQuery[]): Promise<ScreenRowsCalls>;
}

/** A screen that a client watches. */
interface View {
  client: StreamClient;
  id: string;
  everyMs: number;
  priority: number;
  /** The last frame that the client was sent; null before the first. */
  base: number | null;
  /** Time at which the screen is read next, on the clock of `performance.now`. */
  dueAt: number;
  isAsked: boolean;
}

/**
 * Sends clients the rows of screens as they change. No frame is queued for a slow client: while its queue is long, its
 * screens are not read. The next frame has all changes since the last frame that the client was sent.
 */
export class ScreenViews {
  readonly #source: RowsSource;
  readonly #onFault: (error: Error) => void;
  readonly #views = new Map<StreamClient, Map<string, View>>();
  #ticking: NodeJS.Timeout | undefined;
  /** Timer for the first read of screens that a client has just begun to watch. */
  #soon: NodeJS.Timeout | undefined;
  #tickedAt = 0;

  constructor(source: RowsSource, onFault: (error: Error) => void) {
    this.#source = source;
    this.#onFault = onFault;
  }

  /** Replaces the screens that the client watches. A screen that stays in the set keeps its last frame and its next read. */
  watch(client: StreamClient, requests: readonly ScreenViewRequest[]): void {
    const earlier = this.#views.get(client);
    const views = requests.map(({ terminalId: id, fps, priority }): [string, View] => {
      const view = earlier?.get(id) ?? {
        client,
        id,
        base: null,
        dueAt: 0,
        isAsked: false,
        everyMs: 0,
        priority,
      };
      return [id, Object.assign(view, { everyMs: 1_000 / fps, priority })];
    });
    if (views.length === 0) this.remove(client);
    else this.#views.set(client, new Map(views));
    if (this.#views.size === 0) return;
    this.#ticking ??= setInterval(() => this.#tick(), SCREEN_TICK_MS);
    // A person waits for a screen that is new to the client; but a client that keeps changing its screens causes no
    // read at each change.
    this.#soon ??= setTimeout(() => this.#tick(), this.#tickedAt + SCREEN_SOON_MS - performance.now());
  }

  /** Sends all rows of a screen next. Returns false if the client does not watch it. */
  resync(client: StreamClient, id: string): boolean {
    const view = this.#views.get(client)?.get(id);
    if (!view) return false;
    // A frame that is on its way builds on rows that the client has lost.
    this.#views.get(client)?.set(id, { ...view, base: null, dueAt: 0, isAsked: false });
    return true;
  }

  remove(client: StreamClient): void {
    this.#views.delete(client);
    if (this.#views.size > 0) return;
    clearInterval(this.#ticking);
    clearTimeout(this.#soon);
    this.#ticking = undefined;
    this.#soon = undefined;
  }

  #tick(): void {
    const now = performance.now();
    clearTimeout(this.#soon);
    this.#soon = undefined;
    this.#tickedAt = now;
    const due = [...this.#views.entries()]
      .filter(([client]) => hasRoom(client))
      .flatMap(([, views]) => [...views.values()].filter(({ isAsked, dueAt }) => !isAsked && dueAt <= now))
      .sort((a, b) => b.priority - a.priority || a.dueAt - b.dueAt)
      .slice(0, MAX_SCREENS_A_TICK);
    if (due.length === 0) return;
    for (const view of due) {
      view.isAsked = true;
      // Late frames are not made up for.
      view.dueAt = Math.max(view.dueAt + view.everyMs, now);
    }
    this.#ask(due).catch(this.#onFault);
  }

  async #ask(due: readonly View[]): Promise<void> {
    const byQuery = new Map<string, View[]>();
    for (const view of due) {
      const key = keyOf({ id: view.id, since: view.base });
      byQuery.set(key, [...(byQuery.get(key) ?? []), view]);
    }
    const queries = [...byQuery.values()].map(([first]) => ({ id: first!.id, since: first!.base }));
    const viewsOf = (query: RowsQuery) => byQuery.get(keyOf(query)) ?? [];
    const asked = await this.#source.rows(queries).catch((error: unknown) => {
      free(due);
      throw error;
    });
    this.#forget(asked.missing);
    for (const { queries, answer } of asked.calls)
      void this.#answered(answer, queries.flatMap(viewsOf), viewsOf);
  }

  /** Sends the frames of one shard. */
  async #answered(
    answer: Promise<RowsAnswer>,
    views: readonly View[],
    viewsOf: (query: RowsQuery) => readonly View[],
  ): Promise<void> {
    try {
      const { frames, missing } = await answer;
      this.#forget(missing);
      for (const { json, n, ...query } of frames) this.#send(viewsOf(query), query.id, n, json);
      // A first screen that was not ready yet, or did not fit, is asked for again soon.
      for (const view of views) if (view.base === null) view.dueAt = 0;
    } catch (error) {
      // The shard is gone or busy: its successor does not know the frames so far, so all rows are sent again.
      this.#onFault(error as Error);
    } finally {
      free(views);
    }
  }

  #send(views: readonly View[], id: string, n: number, json: string): void {
    const event = `{"type":"screen.rows","terminalId":${JSON.stringify(id)},"data":${json}}`;
    const message = `{"type":"event","event":${event},"timestamp":"${new Date().toISOString()}"}`;
    for (const view of views) {
      const isWatched = this.#views.get(view.client)?.get(id) === view;
      if (!isWatched || !hasRoom(view.client) || !view.client.sees(id)) continue;
      view.base = n;
      view.client.queue.push(message);
    }
  }

  /** Drops the views of terminals that are gone. */
  #forget(ids: readonly string[]): void {
    for (const id of ids) for (const views of this.#views.values()) views.delete(id);
  }
}

/** Lets screens be read again. */
function free(views: readonly View[]): void {
  for (const view of views) view.isAsked = false;
}

function hasRoom({ queue }: StreamClient): boolean {
  return queue.queued < RESYNC_BELOW_BYTES;
}

function keyOf({ id, since }: RowsQuery): string {
  return `${since} ${id}`;
}
