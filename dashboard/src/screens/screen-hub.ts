import type { ScreenFrame, Screens, ScreensOptions, ScreenView } from '../../../src/client/browser.js';
import { service } from '../service.js';
import { ScreenModel } from './screen-model.js';

/** Most screens that one connection may watch. */
const MAX_VIEWS = 300;
/** Least time from one set of screens to the next. */
const SET_EVERY_MS = 50;
const RETRY_MS = 500;
const LOOK_MS = 20;
/** Longest waits until the page shows any screen, and until all its screens have arrived. */
const ANY_SHOWN_MS = 250;
const ALL_SHOWN_MS = 1_000;
/** Time for which expected screens are watched; by then the page has drawn its screens. */
const EXPECTED_MS = 1_000;

interface Watcher {
  fps: number;
  priority: number;
  onChange: () => void;
}

/**
 * Watches exactly the screens that the page shows: each part of the page registers its screens, and is called when they
 * change. All share the page's one connection, which also carries the events: a browser allows few connections to a
 * service.
 */
class ScreenHub {
  readonly #watchers = new Map<string, Set<Watcher>>();
  readonly #models = new Map<string, ScreenModel>();
  /** Screens that the page will probably show in a moment. */
  #expected: ReadonlySet<string> = new Set();
  #screens: Screens | undefined;
  #setting: ReturnType<typeof setTimeout> | undefined;
  #setAt = 0;

  /** Watches a screen until the returned function is called. */
  watch(id: string, watcher: Watcher): () => void {
    const watchers = this.#watchers.get(id) ?? new Set<Watcher>();
    this.#watchers.set(id, watchers.add(watcher));
    this.#setSoon();
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0 && this.#watchers.get(id) === watchers) this.#watchers.delete(id);
      this.#setSoon();
    };
  }

  /** Requests screens before the page shows them: they arrive while the page draws the tiles around them. */
  expect(ids: readonly string[]): void {
    this.#expected = new Set(ids);
    this.#setSoon();
    setTimeout(() => {
      this.#expected = new Set();
      this.#setSoon();
    }, EXPECTED_MS);
  }

  /** Whether a part of the page shows the screen. */
  isWatched(id: string): boolean {
    return this.#watchers.has(id);
  }

  /**
   * Resolves once all screens that the page shows have come, but no later than after ALL_SHOWN_MS; after ANY_SHOWN_MS if
   * the page shows none.
   */
  async untilShown(): Promise<void> {
    const begin = performance.now();
    const isDone = () => {
      const ids = [...this.#watchers.keys()];
      if (performance.now() - begin > (ids.length > 0 ? ALL_SHOWN_MS : ANY_SHOWN_MS)) return true;
      return ids.length > 0 && ids.every((id) => this.model(id).cols > 0);
    };
    while (!isDone()) await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }

  /** Returns the model of a watched terminal's screen. */
  model(id: string): ScreenModel {
    let model = this.#models.get(id);
    if (!model) {
      model = new ScreenModel();
      this.#models.set(id, model);
    }
    return model;
  }

  /** Follows screens and events until the signal fires, and connects again by itself. */
  async run(signal: AbortSignal, follower: Omit<ScreensOptions, 'signal'>): Promise<void> {
    const onVisibility = () => this.#setSoon();
    document.addEventListener('visibilitychange', onVisibility, { signal });
    const { onEvent, onOpen, onLost } = follower;
    while (!signal.aborted) {
      try {
        this.#screens = service.screens(this.#views(), { signal, onEvent, onOpen, onLost });
        for await (const frame of this.#screens) this.#take(frame);
      } catch {
        // The page reports that it is offline, and the next turn tries again.
        if (!signal.aborted) onLost?.();
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  #take(frame: ScreenFrame): void {
    const { terminalId } = frame;
    const watchers = this.#watchers.get(terminalId);
    if (!watchers && !this.#expected.has(terminalId)) return;
    this.model(terminalId).apply(frame);
    for (const { onChange } of watchers ?? []) onChange();
  }

  #setSoon(): void {
    this.#setting ??= setTimeout(
      () => {
        this.#setting = undefined;
        this.#setAt = performance.now();
        // Models are dropped only now: until it gets the new set, the service sends frames that build on the old models.
        for (const id of this.#models.keys())
          if (!this.#watchers.has(id) && !this.#expected.has(id)) this.#models.delete(id);
        // Without a connection, the next one begins with these views. If the service refuses them, this page is at fault.
        this.#screens?.watch(this.#views()).catch(reportError);
      },
      this.#setAt + SET_EVERY_MS - performance.now(),
    );
  }

  /** Returns the screens to watch: none while the page is hidden. */
  #views(): ScreenView[] {
    if (document.hidden) return [];
    const shown = [...this.#watchers].map(([terminalId, watchers]) => ({
      terminalId,
      fps: Math.max(...[...watchers].map(({ fps }) => fps)),
      priority: Math.max(...[...watchers].map(({ priority }) => priority)),
    }));
    const expected = [...this.#expected].filter((id) => !this.#watchers.has(id));
    return [
      ...shown.sort((a, b) => b.priority - a.priority),
      ...expected.map((terminalId) => ({ terminalId, fps: 1, priority: 0 })),
    ].slice(0, MAX_VIEWS);
  }
}

export const screenHub = new ScreenHub();
