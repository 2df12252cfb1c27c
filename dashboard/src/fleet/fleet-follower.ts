import type { ScreensOptions, TerminalView } from '../../../src/client/browser.js';
import { noteRefusal } from '../parts/queries.js';
import { service } from '../service.js';
import type { LiveEvent } from './after-event.js';
import { tellEvent } from './event-bus.js';
import { setLink, setTerminals, takeEvents, useFleet } from './fleet-store.js';
import { outputHistory } from './output-history.js';

/** Events are shown together, so that a hundred a second cost only a few renders of the page. */
const GATHER_MS = 100;
/** Time after an event of a new terminal until the list is read, which knows more of the terminal than the event. */
const LIST_MS = 1_000;
const RETRY_MS = 500;
/** Terminals that are shown before all others are listed. */
const EARLY = 100;
/** Terminals on one page of the list. */
const LIMIT = 1_000;

/** The screens of the page, which are sent early while the page opens. */
interface FleetScreens {
  /** Resolves once the terminals that were listed first are shown. */
  untilShown(): Promise<void>;
  /** Called with the terminals that were listed first, before the page shows them. */
  expect(ids: readonly string[]): void;
}

/** Keeps the fleet store in step with the service: lists the terminals at each connection, and applies later events. */
export class FleetFollower implements Omit<ScreensOptions, 'signal'> {
  readonly #signal: AbortSignal;
  readonly #screens: FleetScreens;
  #hasListed = false;
  /** Whether events arrive. */
  #isOpen = false;
  /** Number of lists that were requested, and the number of the newest that is shown. */
  #requested = 0;
  #shown = 0;
  /** Events that are not shown yet. */
  #gathered: LiveEvent[] = [];
  /** Events since the list was requested, which may be newer than the list. */
  #sinceList: LiveEvent[] | undefined;
  #flushing: ReturnType<typeof setTimeout> | undefined;
  #listing: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal, screens: FleetScreens) {
    this.#signal = signal;
    this.#screens = screens;
    signal.addEventListener('abort', () => {
      clearTimeout(this.#flushing);
      clearTimeout(this.#listing);
    });
  }

  /**
   * Shows the first terminals before the WebSocket is open, which takes longer. Events in between are not reported, so
   * all terminals are listed once it is open.
   */
  async showEarly(): Promise<void> {
    const query = { status: 'all', limit: EARLY, signal: this.#signal } as const;
    // The service lists its terminals at once; finding the programs in them takes it longer.
    service.terminals.list(query).then(
      (terminals) => this.#signal.aborted || this.#screens.expect(terminals.map(({ id }) => id)),
      () => undefined,
    );
    // Without an answer there is nothing to show yet; the connection reports whether the service is up.
    const { terminals } = await service.terminals.page(query).catch(() => ({ terminals: [] }));
    if (!this.#signal.aborted && useFleet.getState().terminals.size === 0) setTerminals(terminals);
  }

  readonly onOpen = (): void => {
    this.#isOpen = true;
    this.#listIn(0);
  };

  readonly onLost = (): void => {
    this.#isOpen = false;
    setLink('offline');
  };

  readonly onEvent = (event: LiveEvent): void => {
    if (event.type === 'terminal.activity') {
      const now = Date.now();
      for (const [id, bytes] of event.data.terminals as Array<[string, number]>)
        outputHistory.add(id, bytes, now);
      return;
    }
    if (event.type === 'terminal.removed') outputHistory.forget(event.terminalId!);
    tellEvent(event);
    this.#sinceList?.push(event);
    this.#gathered.push(event);
    this.#flushing ??= setTimeout(() => this.#flush(), GATHER_MS);
    if (event.type === 'terminal.created') this.#listIn(LIST_MS);
  };

  #flush(): void {
    this.#flushing = undefined;
    takeEvents(this.#gathered);
    this.#gathered = [];
  }

  #listIn(ms: number): void {
    this.#listing ??= setTimeout(() => {
      this.#listing = undefined;
      this.#list().then(
        // A list without the events after it is soon old.
        () => this.#isOpen && setLink('healthy'),
        (error: unknown) => {
          if (this.#signal.aborted) return;
          noteRefusal(error);
          this.#listIn(RETRY_MS);
        },
      );
    }, ms);
  }

  async #list(): Promise<void> {
    // A long list would delay the first screens.
    if (!this.#hasListed) await this.#screens.untilShown();
    this.#hasListed = true;
    const since: LiveEvent[] = [];
    this.#sinceList = since;
    const number = ++this.#requested;
    const views = await this.#views();
    // A newer list, whose request came later, may be answered earlier.
    if (number < this.#shown) return;
    this.#shown = number;
    setTerminals(views);
    takeEvents(since);
    outputHistory.keepOnly(new Set(useFleet.getState().terminals.keys()));
    // Kept if the list has been requested again meanwhile.
    if (this.#sinceList === since) this.#sinceList = undefined;
  }

  async #views(): Promise<TerminalView[]> {
    const views: TerminalView[] = [];
    const options = { status: 'all', limit: LIMIT, signal: this.#signal } as const;
    for await (const view of service.terminals.views(options)) views.push(view);
    return views;
  }
}
