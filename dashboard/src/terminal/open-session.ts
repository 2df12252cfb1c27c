import type { Terminal } from '../../../src/client/browser.js';
import type { SessionState } from './session-state.js';
import { TerminalSession } from './terminal-session.js';
import { XtermScreen, type XtermScreenOptions } from './xterm-screen.js';

/** A terminal that is shown, and may be typed into. */
export interface Opened {
  screen: XtermScreen;
  session: TerminalSession;
}

interface OpenOptions extends Omit<XtermScreenOptions, 'size' | 'onInput' | 'onReport' | 'onTitle'> {
  terminal: Terminal;
  /** Whether the window only watches. */
  readOnly: boolean;
  signal: AbortSignal;
  onState: (state: SessionState) => void;
}

/**
 * Shows a terminal in `host` until the signal fires; text that was typed until then is still sent. A module of its own,
 * since it imports xterm.
 */
export function openSession({ terminal, readOnly, signal, onState, ...options }: OpenOptions): Opened {
  const screen = new XtermScreen({
    ...options,
    size: { cols: 80, rows: 24 },
    onInput: (data) => session.type(data),
    onReport: (data) => session.report(data),
    onTitle: (title) => session.onTitle(title),
  });
  const session = new TerminalSession(terminal, screen, { readOnly, signal, onState });
  signal.addEventListener('abort', () => screen.dispose(), { once: true });
  // A large paste takes a while: the browser asks the person before it drops the rest.
  addEventListener(
    'beforeunload',
    (event) => {
      if (session.isTyping) event.preventDefault();
    },
    { signal: session.ended },
  );
  void session.run();
  return { screen, session };
}
