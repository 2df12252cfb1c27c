import { type RefObject, useEffect, useRef, useState } from 'react';
import { useTheme } from '../parts/theme.js';
import { say } from '../parts/toasts.js';
import { service, wordsOf } from '../service.js';
import type { Opened } from './open-session.js';
import { FIRST_STATE, type SessionState } from './session-state.js';
import type { Matches, OpenedLink } from './xterm-screen.js';

/** Handlers of the page for events of the screen. */
export interface ScreenHandlers {
  onKey: (event: KeyboardEvent) => boolean;
  onPaste: (text: string) => void;
  onClipboard: (data: string) => void;
  onLink: (link: OpenedLink) => void;
}

interface ShownTerminal {
  opened: Opened | undefined;
  state: SessionState;
  /** Target of the link under the pointer. */
  hovered: string | undefined;
  matches: Matches | undefined;
  isFocused: boolean;
}

/** Client of the terminal's machine, and whether the window only watches; by default this machine, and with typing. */
export interface Reached {
  from?: typeof service;
  readOnly?: boolean;
}

const NOTHING = { opened: undefined, state: FIRST_STATE, hovered: undefined, matches: undefined };

/** Shows a terminal in an element. */
export function useTerminal(
  terminalId: string,
  hostRef: RefObject<HTMLElement | null>,
  handlers: ScreenHandlers,
  { from = service, readOnly = false }: Reached,
): ShownTerminal {
  const current = useRef(handlers);
  current.current = handlers;
  const theme = useTheme();
  const themeRef = useRef(theme);
  themeRef.current = theme;
  const [shown, setShown] = useState<Omit<ShownTerminal, 'isFocused'>>(NOTHING);
  const [isFocused, setFocused] = useState(false);

  useEffect(() => {
    const host = hostRef.current;
    if (!host) return;
    const ending = new AbortController();
    const { signal } = ending;
    const change = (part: Partial<ShownTerminal>) =>
      signal.aborted || setShown((before) => ({ ...before, ...part }));
    change({ ...NOTHING });
    const begin = async () => {
      const { openSession } = await import('./open-session.js');
      if (signal.aborted) return;
      const opened = openSession({
        ...{ terminal: from.terminals.get(terminalId), readOnly },
        ...{ host, signal, theme: themeRef.current },
        onState: (state) => change({ state }),
        onHover: (hovered) => change({ hovered }),
        onMatches: (matches) => change({ matches }),
        onClipboard: (data) => current.current.onClipboard(data),
        onLink: (link) => current.current.onLink(link),
      });
      const { term } = opened.screen;
      term.attachCustomKeyEventHandler((event) => current.current.onKey(event));
      change({ opened });
      // On a touch screen, the focus would open the keyboard of a phone.
      if (!matchMedia('(pointer: coarse)').matches) term.focus();
    };
    const onFocus = () => setFocused(host.contains(document.activeElement));
    const onPaste = (event: ClipboardEvent) => {
      event.preventDefault();
      event.stopPropagation();
      current.current.onPaste(event.clipboardData?.getData('text/plain') ?? '');
    };
    host.addEventListener('focusin', onFocus, { signal });
    host.addEventListener('focusout', () => setFocused(false), { signal });
    // In the capture phase, before xterm takes the paste.
    host.addEventListener('paste', onPaste, { signal, capture: true });
    begin().catch((error: unknown) => say(`The terminal cannot be shown: ${wordsOf(error)}`, true));
    return () => ending.abort();
  }, [terminalId, hostRef, from, readOnly]);

  const { opened } = shown;
  useEffect(() => {
    if (opened) opened.screen.theme = theme;
  }, [opened, theme]);
  return { ...shown, isFocused };
}
