import type { AutoTerminal, TerminalView } from '../../client/index.js';
import { AutoTerminalError, BusyError, DisconnectedError, NoServiceError } from '../../client/index.js';
import { attachEndText } from '../attach/attach.js';
import type { AttachEnd } from '../attach/attach-end.js';
import { HeldTerminal, type HeldTerminalOptions, isGone } from '../outer/held-terminal.js';
import { KeyReader } from '../outer/key-reader.js';
import { LineScreen } from '../outer/line-screen.js';
import { picture } from './picture.js';
import type { Painter } from './style.js';
import type { Action, TopTable } from './table.js';

/** Time after which an answer of the service is late. */
const LATE_MS = 1_500;

/** Interval at which an outdated table updates its age. */
const OLD_TABLE_MS = 1_000;

export interface LiveOptions extends Pick<HeldTerminalOptions, 'stdin' | 'stdout' | 'signal'> {
  client: AutoTerminal;
  table: TopTable;
  paint: Painter;
  /** Resolves with all terminals, oldest first. */
  list: (signal: AbortSignal | undefined) => Promise<TerminalView[]>;
  /** Shows a terminal in place of the table, until the person comes back. */
  attach: (view: TerminalView) => Promise<AttachEnd>;
  delayMs: number;
}

/** The live table: polls the terminals, draws them, and acts on keys. */
export class Live {
  readonly #options: LiveOptions;
  readonly #held: HeldTerminal;
  readonly #screen = new LineScreen();
  readonly #keys = new KeyReader((key) => this.#press(key));
  readonly #stopping = new AbortController();
  /** Time of the list that the table shows. */
  #listedAt = 0;
  #isAway = false;
  #isDrawing = false;
  #isDrawingDue = false;
  /** Ends the pause before the next poll. */
  #wake: () => void = () => {};
  #end: (signal: string | undefined) => void = () => {};
  #fail: (error: unknown) => void = () => {};
  readonly #ended = new Promise<string | undefined>((resolve, reject) => {
    this.#end = resolve;
    this.#fail = (error) => (isGone(error) ? resolve('SIGHUP') : reject(error));
  });

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#held = new HeldTerminal({
      ...{ stdin: options.stdin, stdout: options.stdout, signal: options.signal },
      enter: () => this.#held.outer.write(this.#screen.enter()),
      leave: () => this.#screen.leave(this.#held.outer.size.rows),
      onData: (data) => this.#keys.take(data),
      onResize: () => this.#redraw(),
      onSignal: (signal) => this.#end(signal),
      onFault: (error) => this.#fail(error),
    });
  }

  /** Whether the person's terminal is gone, or accepts no more output. */
  get isLost(): boolean {
    return this.#held.isLost;
  }

  /**
   * Shows the table until the person leaves. Resolves with the signal that ended it, if one did. Rejects with the
   * service's error; for the first list, before the person's terminal is touched.
   */
  async run(): Promise<string | undefined> {
    // Without this, a failure before the `await` below would be an unhandled rejection.
    this.#ended.catch(() => undefined);
    await this.#list(this.#options.signal);
    let ticking: NodeJS.Timeout | undefined;
    try {
      await this.#held.take();
      this.#draw();
      ticking = setInterval(() => this.#draw(), OLD_TABLE_MS);
      this.#follow().catch(this.#fail);
      return await this.#ended;
    } finally {
      clearInterval(ticking);
      this.#stopping.abort();
      this.#wake();
      this.#keys.close();
      await this.#held.release();
    }
  }

  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const startedAt = performance.now();
      try {
        // While a terminal is attached, the table is not shown.
        if (!this.#isAway) await this.#list(this.#stopping.signal);
      } catch (error) {
        if (this.#stopping.signal.aborted) return;
        if (!mayPass(error)) throw error;
      }
      this.#draw();
      // A busy service is polled less often.
      await this.#pause(Math.max(this.#options.delayMs, performance.now() - startedAt));
    }
  }

  async #list(signal: AbortSignal | undefined): Promise<void> {
    const { table, list } = this.#options;
    table.views = await list(signal);
    this.#listedAt = performance.now();
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #press(key: string): void {
    const action = this.#options.table.press(key);
    this.#draw();
    if (action) this.#do(action).catch(this.#fail);
  }

  async #do(action: Action): Promise<void> {
    switch (action.kind) {
      case 'leave':
        return this.#end(undefined);
      case 'suspend':
        return this.#held.suspend();
      case 'attach':
        return this.#attach(action.view);
      case 'close':
        return this.#close(action.view);
    }
  }

  async #attach(view: TerminalView): Promise<void> {
    const { table, attach } = this.#options;
    this.#isAway = true;
    this.#keys.close();
    await this.#held.release({ isKeptRaw: true });
    try {
      const end = await attach(view);
      if (end.reason === 'signal') return this.#end(end.signal ?? 'SIGINT');
      table.message = attachEndText(end, view.name);
    } catch (error) {
      if (!(error instanceof AutoTerminalError)) throw error;
      table.message = error.message;
    } finally {
      this.#held.outer.setCooked();
    }
    if (this.#stopping.signal.aborted) return;
    this.#isAway = false;
    this.#listedAt = performance.now();
    await this.#held.take();
    this.#draw();
    this.#wake();
  }

  async #close({ id, name }: TerminalView): Promise<void> {
    const { client, table } = this.#options;
    table.message = `Closing ${name}`;
    this.#draw();
    try {
      await client.terminals.get(id).close({ signal: this.#stopping.signal });
      table.message = `${name} was closed`;
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      if (!(error instanceof AutoTerminalError)) throw error;
      table.message = `${name} was not closed: ${error.message}`;
    }
    this.#draw();
    this.#wake();
  }

  #redraw(): void {
    this.#screen.clear();
    this.#draw();
  }

  /** Draws the present state. During a write only the need is noted, so a slow terminal gets the latest picture next. */
  #draw(): void {
    this.#isDrawingDue = true;
    if (!this.#isDrawing) this.#drawAll().catch(this.#fail);
  }

  async #drawAll(): Promise<void> {
    this.#isDrawing = true;
    try {
      while (this.#isDrawingDue && !this.#isAway && !this.#stopping.signal.aborted) {
        this.#isDrawingDue = false;
        const { table, paint } = this.#options;
        const { outer } = this.#held;
        const lines = picture(table, { size: outer.size, paint, trouble: this.#trouble });
        await outer.write(this.#screen.draw(lines));
      }
    } finally {
      this.#isDrawing = false;
    }
  }

  get #trouble(): string {
    const ageMs = performance.now() - this.#listedAt;
    if (ageMs < this.#options.delayMs + LATE_MS) return '';
    return `No answer from the service for ${Math.round(ageMs / 1_000)}s; this is how it was`;
  }
}

/** Whether the service may answer again. */
function mayPass(error: unknown): boolean {
  return error instanceof NoServiceError || error instanceof DisconnectedError || error instanceof BusyError;
}
