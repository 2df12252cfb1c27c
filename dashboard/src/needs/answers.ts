import { create } from 'zustand';
import { noteLook } from '../looked/looks-store.js';
import { attempt } from '../parts/toasts.js';
import { service } from '../service.js';
import { markAnswered } from './needs-store.js';
import type { KeyButton, Sending } from './sending.js';

/** Input that was sent to a terminal from the queue. */
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
  noteLook(terminalId);
  return true;
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
