import type { ServiceEvent, TerminalView } from '../../../src/client/browser.js';
import { service } from '../service.js';
import { tellEvent } from './event-bus.js';
import { setLink, setTerminals, takeEvents } from './fleet-store.js';

/** Events are shown together, so that a hundred of them a second cost a few changes of the page. */
const GATHER_MS = 100;
/** What the list tells of a new terminal and its event does not is asked for after this time. */
const LIST_MS = 1_000;
const RETRY_MS = 500;

/** Keeps the fleet store as the service is. */
class FleetFollower {
  readonly #signal: AbortSignal;
  /** Events that are not shown yet. */
  #gathered: ServiceEvent[] = [];
  /** Events since the list was asked for, which may say more than the list. */
  #sinceList: ServiceEvent[] | undefined;
  #flushing: ReturnType<typeof setTimeout> | undefined;
  #listing: ReturnType<typeof setTimeout> | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  async run(): Promise<void> {
    const signal = this.#signal;
    const list = () => this.#listIn(0);
    const onLost = () => setLink('offline');
    for await (const event of service.events({ signal, onReady: list, onBack: list, onLost })) {
      if ('reason' in event) list();
      else this.#take(event);
    }
  }

  stop(): void {
    clearTimeout(this.#flushing);
    clearTimeout(this.#listing);
  }

  #take(event: ServiceEvent): void {
    tellEvent(event);
    this.#sinceList?.push(event);
    this.#gathered.push(event);
    this.#flushing ??= setTimeout(() => this.#flush(), GATHER_MS);
    if (event.type === 'terminal.created') this.#listIn(LIST_MS);
  }

  #flush(): void {
    this.#flushing = undefined;
    takeEvents(this.#gathered);
    this.#gathered = [];
  }

  #listIn(ms: number): void {
    this.#listing ??= setTimeout(() => {
      this.#list().then(
        () => setLink('healthy'),
        () => this.#signal.aborted || this.#listIn(RETRY_MS),
      );
    }, ms);
  }

  async #list(): Promise<void> {
    this.#listing = undefined;
    this.#sinceList = [];
    const views: TerminalView[] = [];
    const pages = service.terminals.views({ status: 'all', signal: this.#signal });
    for await (const view of pages) views.push(view);
    setTerminals(views);
    takeEvents(this.#sinceList);
    this.#sinceList = undefined;
  }
}

/** Follows the service until the signal fires, and connects again by itself. */
export async function followFleet(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const follower = new FleetFollower(signal);
    try {
      await follower.run();
    } catch {
      // The page says that it is offline, and the next turn tries again.
      if (!signal.aborted) setLink('offline');
    } finally {
      follower.stop();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
