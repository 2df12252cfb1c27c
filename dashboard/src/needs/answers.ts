import { create } from 'zustand';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import { markAnswered } from './needs-store.js';

/** Something that was sent to a terminal from the queue. */
export interface Answer {
  id: number;
  at: number;
  terminalId: string;
  name: string;
  sent: string;
}

const MAX_KEPT = 200;
let last = 0;

/** The answers given in this window, the newest first. Nothing of them is stored: they may hold secrets. */
export const useAnswers = create<{ answers: readonly Answer[] }>(() => ({ answers: [] }));

/** The need that is answered. */
export interface Target {
  key: string;
  terminalId: string;
  name: string;
}

/** Keys that a button sends. */
export interface KeyButton {
  label: string;
  /** The key by its name for people. */
  does: string;
  /** A named key; otherwise the label is typed as it is. */
  key?: string;
  /** Whether it answers: other keys move in a menu, or want Enter behind them. */
  isAnswer: boolean;
}

export const KEY_BUTTONS: readonly KeyButton[] = [
  { label: '1', does: '1', isAnswer: true },
  { label: '2', does: '2', isAnswer: true },
  { label: '3', does: '3', isAnswer: true },
  { label: 'y', does: 'y', isAnswer: false },
  { label: 'n', does: 'n', isAnswer: false },
  { label: 'Esc', does: 'Escape', key: 'escape', isAnswer: true },
  { label: 'Enter', does: 'Enter', key: 'enter', isAnswer: true },
  { label: '↑', does: 'arrow up', key: 'up', isAnswer: false },
  { label: '↓', does: 'arrow down', key: 'down', isAnswer: false },
];

async function send(
  target: Target,
  sent: string,
  work: Promise<unknown>,
  isAnswer: boolean,
): Promise<boolean> {
  const { key, terminalId, name } = target;
  if (!(await attempt(`${name} was not answered`, work))) return false;
  const answer = { id: ++last, at: Date.now(), terminalId, name, sent };
  useAnswers.setState(({ answers }) => ({ answers: [answer, ...answers].slice(0, MAX_KEPT) }));
  if (isAnswer) markAnswered(key);
  return true;
}

/** How a text is sent, and whether that answers. */
export interface Sending {
  as: 'key' | 'text';
  isAnswer: boolean;
}

/**
 * Says how a text is sent. To an agent a single character goes as a key alone: a menu takes it at once, and an Enter
 * behind it would choose whatever the menu, or the next one, has selected. A letter may still want Enter.
 */
export function sendingOf(text: string, isAgent: boolean): Sending {
  if (!isAgent || !/^[0-9a-z]$/i.test(text)) return { as: 'text', isAnswer: true };
  return { as: 'key', isAnswer: /\d/.test(text) };
}

/** Sends a text as `sendingOf` says. Resolves with whether it was sent. */
export function sendText(target: Target, text: string, { as, isAnswer }: Sending): Promise<boolean> {
  const terminal = service.terminals.get(target.terminalId);
  if (as === 'key') return send(target, `key ${text}`, terminal.type(text), isAnswer);
  return send(target, text, terminal.prompt(text), isAnswer);
}

export function sendKey(target: Target, { label, does, key, isAnswer }: KeyButton): Promise<boolean> {
  const terminal = service.terminals.get(target.terminalId);
  return send(target, `key ${does}`, key ? terminal.keys([key]) : terminal.type(label), isAnswer);
}
