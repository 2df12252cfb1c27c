import { type RefObject, useRef } from 'react';
import type { Opened } from './open-session.js';
import { type Reached, useTerminal } from './use-terminal.js';
import { type ActionsOptions, useTerminalActions } from './use-terminal-actions.js';

/** Shows a terminal in an element, to type into. Returns its state, and a person's actions on it. */
export function useTypedTerminal(
  hostRef: RefObject<HTMLDivElement | null>,
  options: Omit<ActionsOptions, 'opened'> & Reached,
) {
  const openedRef = useRef<Opened>(undefined);
  const actions = useTerminalActions({ ...options, opened: () => openedRef.current });
  const { onKey, paste: onPaste, onClipboard, onLink } = actions;
  const handlers = { onKey, onPaste, onClipboard, onLink };
  const terminal = useTerminal(options.terminalId, hostRef, handlers, options);
  openedRef.current = terminal.opened;
  return { ...terminal, actions };
}
