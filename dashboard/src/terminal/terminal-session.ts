import {
  type AttachEvent,
  type Attachment,
  DisconnectedError,
  type Terminal,
  type TerminalInfo,
  type TerminalSize,
} from '../../../src/client/browser.js';
import { say } from '../parts/toasts.js';
import { isAway, wordsOf } from '../service.js';
import { heldLease } from './held-leases.js';
import { missedBy, sayMissed } from './missed-text.js';
import { FIRST_STATE, type SessionState, withMissed } from './session-state.js';
import { WindowTypist } from './window-typist.js';
import { SCROLLBACK_LINES, type XtermScreen } from './xterm-screen.js';

interface SessionOptions {
  /** Whether the window only watches. */
  readOnly: boolean;
  /** Fires when the window shows the terminal no longer. Text that a person has typed is still sent then. */
  signal: AbortSignal;
  onState: (state: SessionState) => void;
}

const RETRY_MS = 500;
/** The screen is shown first; the lines above it follow once the terminal has been quiet for this time. */
const HISTORY_AFTER_MS = 300;
/** A terminal that prints all the time gets no lines above its first screen. */
const MAX_HISTORY_TRIES = 3;

/** Lines above the screen, as they were when the terminal had printed `seq` bytes. */
interface History {
  seq: number;
  rows: string[];
}

/** One terminal in one window, from the first screen to the last; connects again by itself. */
export class TerminalSession {
  readonly #terminal: Terminal;
  readonly #screen: XtermScreen;
  readonly #readOnly: boolean;
  readonly #signal: AbortSignal;
  readonly #ending = new AbortController();
  readonly #onState: (state: SessionState) => void;
  readonly #typist: WindowTypist;
  #state: SessionState = FIRST_STATE;
  #attachment: Attachment | undefined;
  /** Bytes that the terminal had printed up to the shown output. */
  #seq = 0;
  /** The size that this window has given the terminal, until another client gives it another. */
  #taken: TerminalSize | undefined;
  #history: History | undefined;
  #historyTries = 0;
  #historyTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(terminal: Terminal, screen: XtermScreen, { readOnly, signal, onState }: SessionOptions) {
    this.#terminal = terminal;
    this.#screen = screen;
    this.#readOnly = readOnly;
    this.#signal = signal;
    this.#onState = onState;
    this.#typist = new WindowTypist(
      (text) => this.#attachment!.type(text, heldLease(terminal.id)),
      (texts, error) => this.#change(withMissed(this.#state, missedBy(texts, error))),
      sayMissed,
    );
    const leave = () => {
      clearTimeout(this.#historyTimer);
      void this.#typist.leave().then(() => this.#ending.abort());
    };
    signal.addEventListener('abort', leave, { once: true });
  }

  /** Fires when the session has ended, and nothing is typed any more. */
  get ended(): AbortSignal {
    return this.#ending.signal;
  }

  /** Follows the terminal until nothing more can come, or the signal fires. */
  async run(): Promise<void> {
    while (!this.#signal.aborted) {
      try {
        await this.#follow();
        return;
      } catch (error) {
        if (this.#signal.aborted) return this.#typist.drop();
        if (!isAway(error)) {
          this.#end({ name: 'failed', why: wordsOf(error), error });
          return;
        }
        this.#end({ name: 'lost' });
      }
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Types a person's input. While there is no connection, the input is counted as not sent. */
  type(data: string): void {
    this.#screen.term.scrollToBottom();
    const { unsent, unknown } = this.#state;
    if (this.isLive && unsent + unknown > 0) this.#change({ unsent: 0, unknown: 0, refusal: undefined });
    this.#typist.type(data);
  }

  /**
   * Sends a report of the focus or the mouse. It is no key: the lines that a person reads do not move, and nothing is
   * missed if it cannot be sent.
   */
  report(data: string): void {
    if (this.isLive && !this.#readOnly) this.#typist.type(data);
  }

  /** Gives the terminal another size, which it keeps until another client leads. */
  async take(size: TerminalSize): Promise<void> {
    if (!this.#attachment) throw new DisconnectedError('The terminal is not connected');
    await this.#attachment.resize(size);
    await this.#attachment.lead();
    this.#taken = size;
  }

  /** Whether the terminal takes keys. */
  get isLive(): boolean {
    return this.#state.phase.name === 'live';
  }

  /** Whether typed text has not arrived yet. */
  get isTyping(): boolean {
    return this.#typist.isTyping;
  }

  /** Id of this window among the clients of the terminal. */
  get clientId(): string | undefined {
    return this.#attachment?.clientId;
  }

  async #follow(): Promise<void> {
    const call = { signal: this.ended };
    const info = await this.#terminal.info(call);
    if (info.status === 'exited') return this.#showEnded(info);
    // The client has the size of the terminal, so that typing here never resizes it.
    const size = await this.#terminal.size(call);
    const who = { origin: 'user', name: 'dashboard', readOnly: this.#readOnly } as const;
    const attachment = this.#terminal.attach({ ...size, ...who, ...call });
    this.#attachment = attachment;
    // The next event is taken once the screen has parsed the present event, so the service detects a slow reader.
    for await (const event of attachment) await this.#take(event);
  }

  /** Shows the last screen of a program that has ended; its terminal takes no clients. */
  async #showEnded({ exitCode = null, signal = null, oomKilled }: TerminalInfo): Promise<void> {
    const { snapshot, pending = '', cols, rows } = await this.#terminal.snapshot({ signal: this.#signal });
    await this.#screen.reset(snapshot + pending, { cols, rows });
    this.#end({ name: 'exited', exitCode, signal, oomKilled });
    this.#change({ size: { cols, rows } });
  }

  async #take(event: AttachEvent): Promise<void> {
    if (this.#signal.aborted) return this.#takeUnseen(event);
    switch (event.type) {
      case 'reset':
        return this.#reset(event);
      case 'output':
        this.#seq = event.seq;
        return this.#screen.write(event.data);
      case 'resized':
        return this.#resized(event);
      case 'disconnected':
        this.#historyTries = 0;
        if (this.#taken) return this.#end({ name: 'lost' });
        // Another attachment begins with the size that the terminal has by then; this attachment would give it the old size.
        throw new DisconnectedError('The connection to the terminal was lost');
      case 'exited':
        return this.#end({ ...event, name: 'exited' });
      case 'removed':
        return this.#end({ name: 'removed' });
      case 'detached':
        return this.#end({ name: event.reason === 'removed' ? 'removed' : 'detached' });
    }
  }

  /** Takes an event for a window that shows the terminal no longer. */
  #takeUnseen({ type }: AttachEvent): void {
    if (type !== 'reset' && type !== 'output' && type !== 'resized') this.#typist.drop();
  }

  async #reset({ data, seq, cols, rows }: Extract<AttachEvent, { type: 'reset' }>): Promise<void> {
    const history = this.#history?.seq === seq ? this.#history : undefined;
    this.#history = undefined;
    this.#seq = seq;
    this.#change({ phase: { name: 'live' }, size: { cols, rows }, title: '' });
    await this.#screen.reset(data, { cols, rows }, history?.rows);
    this.#typist.isOpen = true;
    if (!history) this.#historySoon();
  }

  #resized({ cols, rows }: TerminalSize): void {
    if (this.#taken?.cols !== cols || this.#taken.rows !== rows) this.#taken = undefined;
    this.#screen.resize({ cols, rows });
    this.#change({ size: { cols, rows } });
    this.#historyTries = 0;
    this.#ask(this.#attachment!.resize({ cols, rows }));
    // Each terminal reflows in its own way, and the lines above the screen may not be the same here: the service's screen
    // takes the place of this one.
    this.#ask(this.#attachment!.redraw());
  }

  #historySoon(): void {
    clearTimeout(this.#historyTimer);
    if (this.#historyTries >= MAX_HISTORY_TRIES) return;
    this.#historyTimer = setTimeout(() => {
      this.#historyTries++;
      this.#ask(this.#loadHistory());
    }, HISTORY_AFTER_MS);
  }

  /** Loads the lines above the screen. They fit if nothing is printed until the screen arrives again. */
  async #loadHistory(): Promise<void> {
    if (this.#screen.term.buffer.active.type === 'alternate' || this.#screen.term.hasSelection()) return;
    const seq = this.#seq;
    const capture = await this.#terminal.capture({ scrollback: true, signal: this.#signal });
    const rows = capture.content.split('\n').slice(0, -this.#screen.term.rows);
    if (rows.length === 0 || this.#state.phase.name !== 'live') return;
    if (this.#seq !== seq) return this.#historySoon();
    this.#history = { seq, rows: rows.slice(-SCROLLBACK_LINES) };
    await this.#attachment!.redraw();
  }

  /** Ignores failures of a request whose effect the events show; it is repeated with the next screen. */
  #ask(answer: Promise<void>): void {
    answer.catch(() => undefined);
  }

  #end(phase: SessionState['phase']): void {
    // Without a connection the holder is not shown, and a hidden lease must not keep programs out.
    if (phase.name === 'lost' && heldLease(this.#terminal.id) !== undefined)
      say('You have the terminal no longer: the connection was lost', true);
    clearTimeout(this.#historyTimer);
    this.#typist.isOpen = false;
    this.#change({ phase });
  }

  #change(change: Partial<SessionState>): void {
    if (this.#signal.aborted) return;
    this.#state = { ...this.#state, ...change };
    this.#onState(this.#state);
  }

  /** Called with each title that the program sets. */
  readonly onTitle = (title: string) => this.#change({ title });
}
