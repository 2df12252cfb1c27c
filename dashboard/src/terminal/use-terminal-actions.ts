import { useRef } from 'react';
import type { TerminalSize } from '../../../src/client/browser.js';
import { copyText } from '../parts/copy.js';
import { attempt, say } from '../parts/toasts.js';
import { service } from '../service.js';
import type { Question } from './asked.js';
import { EscapeTwice } from './escape-twice.js';
import { openLink } from './open-link.js';
import type { Opened } from './open-session.js';
import { type ClipboardRule, clipboardRule, clipboardText, setClipboardRule } from './osc52.js';
import { pasteOf } from './paste.js';
import type { OpenedLink } from './xterm-screen.js';

export interface ActionsOptions {
  terminalId: string;
  opened: () => Opened | undefined;
  /** Asks a person, or ends the question. */
  ask: (question: Question | undefined) => void;
  /** Opens the bar that finds text on the screen. */
  onFind: () => void;
  /** Called when a person takes the keys away from the terminal. */
  onLeave: () => void;
}

/** Returns a person's actions on the terminal, by keys, the mouse and buttons. */
export function useTerminalActions({ terminalId, opened, ask, onFind, onLeave }: ActionsOptions) {
  const escapes = useRef(new EscapeTwice());

  /** Types a text, if need be once a person has confirmed it; then calls back. */
  const paste = (text: string, onTyped?: () => void) => {
    const { screen, session } = opened() ?? {};
    if (text === '' || !screen || !session) return;
    const pasted = pasteOf(text, screen.term.modes.bracketedPasteMode);
    const type = () => {
      session.type(pasted.data);
      onTyped?.();
    };
    if (pasted.question) ask({ kind: 'paste', paste: pasted, type });
    else type();
  };

  /**
   * Types the text of a field: a line with Enter after it. Calls back once it is typed; until then the field keeps it.
   */
  const typeLine = (text: string, onTyped: () => void) => {
    const session = opened()?.session;
    if (!session?.isLive) return say('Not sent: the terminal takes no keys now. The text is kept', true);
    const enter = () => {
      if (!session.isLive) return;
      if (!text.includes('\n')) session.type('\r');
      onTyped();
    };
    if (text === '') enter();
    else paste(text, enter);
  };

  /** Returns whether xterm takes the key. */
  const onKey = (event: KeyboardEvent): boolean => {
    if (event.type !== 'keydown') return true;
    if (escapes.current.press(event)) {
      event.preventDefault();
      onLeave();
      return false;
    }
    if (!event.ctrlKey || !event.shiftKey || event.altKey) return true;
    switch (event.code) {
      // Left to the page's palette, and to the browser's paste.
      case 'KeyP':
      case 'KeyV':
        return false;
      case 'KeyF':
        event.preventDefault();
        onFind();
        return false;
      case 'KeyC': {
        event.preventDefault();
        const selection = opened()?.screen.term.getSelection();
        if (selection) void copyText(selection);
        else say('Nothing is selected');
        return false;
      }
      default:
        return true;
    }
  };

  const onClipboard = (data: string) => {
    const text = clipboardText(data);
    const rule = clipboardRule(terminalId);
    // A program in a terminal without the focus must not change the clipboard.
    const field = opened()?.screen.term.textarea;
    const isLookedAt = document.hasFocus() && field !== undefined && document.activeElement === field;
    if (text === undefined || rule === 'block' || !isLookedAt) return;
    if (rule === 'session') void copyText(text, 'The program has put text on the clipboard');
    else ask({ kind: 'clipboard', text });
  };

  const answerClipboard = (text: string | undefined, rule: ClipboardRule) => {
    setClipboardRule(terminalId, rule);
    if (text !== undefined) void copyText(text);
  };

  const onLink = (link: OpenedLink) => {
    if (link.isMisleading) ask({ kind: 'link', link });
    else openLink(link.target);
  };

  const resize = async (size: TerminalSize) => {
    const session = opened()?.session;
    if (session && (await attempt('Not resized', session.take(size))))
      say(`Resized to ${size.cols}×${size.rows}`);
  };

  const takeSize = async (size: TerminalSize) => {
    const session = opened()?.session;
    await attempt(
      'Not resized',
      service.terminals
        .get(terminalId)
        .clients()
        .then((clients) => {
          const others = clients.filter(({ clientId }) => clientId !== session?.clientId);
          if (others.length > 0) ask({ kind: 'size', size, others });
          else return resize(size);
        }),
    );
  };

  return { paste, typeLine, onKey, onClipboard, answerClipboard, onLink, resize, takeSize };
}
