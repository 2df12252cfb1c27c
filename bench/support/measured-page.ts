import { chromium, type Page } from 'playwright-core';
import { programOnPath } from '../../test/support/program-on-path.js';
import type { Cleanup } from './cleanup.js';

/**
 * Script that records in the page when each canvas is first painted, which happens once its screen has arrived, and all
 * tasks of over 50 ms.
 */
const NOTES = `
  window.painted = new Map();
  window.longTasks = [];
  const fill = CanvasRenderingContext2D.prototype.fillRect;
  CanvasRenderingContext2D.prototype.fillRect = function (...args) {
    if (!window.painted.has(this.canvas)) window.painted.set(this.canvas, performance.now());
    return fill.apply(this, args);
  };
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.longTasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
`;

interface Process {
  id: number;
  type: string;
  cpuTime: number;
}

/** A page of the dashboard in a browser of its own, whose cost is measured. */
export class MeasuredPage {
  readonly page: Page;
  readonly #processes: () => Promise<Process[]>;

  private constructor(page: Page, processes: () => Promise<Process[]>) {
    this.page = page;
    this.#processes = processes;
  }

  static async open(cleanup: Cleanup, viewport: { width: number; height: number }): Promise<MeasuredPage> {
    const browser = await cleanup.own(
      chromium.launch({
        executablePath: programOnPath('chromium'),
        args: [
          ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
          ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
        ],
      }),
      (each) => each.close(),
    );
    const context = await browser.newContext({ viewport });
    await context.addInitScript(NOTES);
    const page = await context.newPage();
    const session = await browser.newBrowserCDPSession();
    const processes = async () => (await session.send('SystemInfo.getProcessInfo')).processInfo;
    return new MeasuredPage(page, processes);
  }

  /** Resolves with the CPU seconds of all processes of the browser. */
  async #cpu(): Promise<number> {
    return (await this.#processes()).reduce((sum, { cpuTime }) => sum + cpuTime, 0);
  }

  /** Resolves with the pid of the page's process: the page is the only page of the browser. */
  async rendererPid(): Promise<number> {
    const renderer = (await this.#processes()).find(({ type }) => type === 'renderer');
    if (!renderer) throw new Error('the browser lists no process for the page');
    return renderer.id;
  }

  /** Resolves with the milliseconds from the navigation until `count` canvases were painted. */
  paintedAfter(count: number): Promise<number> {
    return this.page.evaluate<number>(`new Promise((resolve) => {
      const look = () => {
        if (window.painted.size < ${count}) setTimeout(look, 10);
        else resolve([...window.painted.values()].sort((a, b) => a - b)[${count - 1}]);
      };
      look();
    })`);
  }

  /** Forgets which canvases were painted. */
  async forgetPainted(): Promise<void> {
    await this.page.evaluate('window.painted.clear()');
  }

  /** Resolves with the time, on the clock of `Date`, at which `count` canvases were painted. */
  async paintedAt(count: number): Promise<number> {
    const after = await this.paintedAfter(count);
    return after + (await this.page.evaluate<number>('performance.timeOrigin'));
  }

  /**
   * Does the work. Resolves with the CPU that all processes of the browser used meanwhile, in % of a core, and with the
   * milliseconds of the page's longest task.
   */
  async metered(work: () => Promise<unknown>): Promise<{ percent: number; longestTask: number }> {
    const began = await this.page.evaluate<number>('performance.now()');
    const before = await this.#cpu();
    const start = performance.now();
    await work();
    const seconds = (performance.now() - start) / 1_000;
    const percent = (((await this.#cpu()) - before) / seconds) * 100;
    const longestTask = await this.page.evaluate<number>(
      `Math.max(0, ...window.longTasks.filter(([at]) => at > ${began}).map(([, ms]) => ms))`,
    );
    return { percent, longestTask };
  }

  /** Resolves with the bytes of the page's JavaScript heap after a garbage collection. */
  async heapBytes(): Promise<number> {
    const session = await this.page.context().newCDPSession(this.page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    await session.detach();
    return usedSize;
  }
}
