import type { ScreensOptions, TerminalView } from '../../../src/client/browser.js';
import { service } from '../service.js';
import type { LiveEvent } from './after-event.js';
import { tellEvent } from './event-bus.js';
import { setLink, setTerminals, takeEvents } from './fleet-store.js';

/** Events are shown together, so that a hundred of them a second cost a few changes of the page. */
const GATHER_MS = 100;
/** What the list tells of a new terminal and its event does not is asked for after this time. */
const LIST_MS = 1_000;
const RETRY_MS = 500;

/** Keeps the fleet store as the service is: lists the terminals at each connection, and takes the events from then on. */
export class FleetFollower implements Omit<ScreensOptions, 'signal'> {
  readonly #signal: AbortSignal;
  /** Events that are not shown yet. */
  #gathered: LiveEvent[] = [];
  /** Events since the list was asked for, which may say more than the list. */
  #sinceList: LiveEvent[] | undefined;
  #flushing: ReturnType<typeof setTimeout> | undefined;
  #listing: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      clearTimeout(this.#flushing);
      clearTimeout(this.#listing);
    });
  }

  readonly onOpen = (): void => this.#listIn(0);

  readonly onLost = (): void => setLink('offline');

  readonly onEvent = (event: LiveEvent): void => {
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
        () => setLink('healthy'),
        () => this.#signal.aborted || this.#listIn(RETRY_MS),
      );
    }, ms);
  }

  async #list(): Promise<void> {
    const since: LiveEvent[] = [];
    this.#sinceList = since;
    const views: TerminalView[] = [];
    const pages = service.terminals.views({ status: 'all', signal: this.#signal });
    for await (const view of pages) views.push(view);
    setTerminals(views);
    takeEvents(since);
    // Unless the list has been asked for again meanwhile.
    if (this.#sinceList === since) this.#sinceList = undefined;
  }
}
