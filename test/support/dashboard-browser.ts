import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect } from 'vitest';
import { DEADLINE_MS } from './deadline.js';
import { type Api, createApi } from './http.js';
import { programOnPath } from './program-on-path.js';
import { type Service, startService } from './service.js';

/** A service with its dashboard, and a browser. */
export interface UsedDashboard {
  readonly service: Service;
  readonly api: Api;
  /** Origin of the dashboard. */
  readonly url: string;
  readonly browser: Browser;
  /**
   * Opens a page of the dashboard in a browser context of its own. The tests fail for each error that the page reports,
   * except for console errors that match `expected`.
   */
  open(path: string, options?: BrowserContextOptions & { expected?: RegExp }): Promise<Page>;
  /** Kills the service and starts it again, on the same port, once `whileAway` is done. */
  restart(whileAway?: () => Promise<void>): Promise<void>;
}

const CHROMIUM = {
  args: [
    ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
    // Without these, Chromium would contact its own hosts at each start.
    ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
  ],
};

/** Errors that a page reports while its service is away, which are no fault of the page. */
const AWAY =
  /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|WebSocket connection to|dynamically imported/;

/**
 * Starts a service and a browser before the tests of the calling file, and ends both after them.
 *
 * @param borrowed - returns the service of another rig, which starts and ends it
 */
export function useDashboard(borrowed?: () => Service): UsedDashboard {
  let service: Service | undefined;
  let browser: Browser | undefined;
  let url = '';
  const complaints: string[] = [];
  const started = <Part>(part: Part | undefined): Part => {
    if (part === undefined) throw new Error('the dashboard starts before the first test');
    return part;
  };
  beforeAll(async () => {
    [service, browser] = await Promise.all([
      borrowed?.() ?? startService(),
      chromium.launch({ ...CHROMIUM, executablePath: programOnPath('chromium'), timeout: DEADLINE_MS }),
    ]);
    url = started(service.dashboardUrl);
  });
  afterAll(async () => {
    await browser?.close();
    if (!borrowed) await service?.stop();
    expect(complaints).toEqual([]);
  });
  return {
    get service() {
      return started(service);
    },
    get api() {
      return createApi(started(service).url);
    },
    get url() {
      return url;
    },
    get browser() {
      return started(browser);
    },
    async open(path, { expected = AWAY, ...options } = {}) {
      const viewport = { width: 1280, height: 800 };
      const context = await started(browser).newContext({ viewport, ...options });
      context.setDefaultTimeout(DEADLINE_MS);
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
      page.on('console', (message) => {
        const text = `${message.text()} (${message.location().url})`;
        if (message.type() === 'error' && !expected.test(text)) complaints.push(text);
      });
      await page.goto(url + path);
      return page;
    },
    async restart(whileAway) {
      const { home, kill } = started(service);
      await kill('SIGKILL');
      await whileAway?.();
      const args = ['--dashboard-port', new URL(url).port];
      service = await startService({ home, args });
    },
  };
}
