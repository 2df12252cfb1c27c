import type { Prompt, PromptEnd, PromptReason } from '../../contract/prompt.js';
import type { Hold } from '../input-gate/hold.js';
import type { KeptPrompt } from './kept-prompt.js';

/** Receiver of a prompt. */
export type Into = 'agent' | 'shell';

/** Outcome of a typed prompt. */
export interface Outcome {
  state: PromptEnd;
  reason?: PromptReason;
  /** Whether somebody has submitted or dropped the line after the prompt's last key: its text is then in nobody's way. */
  isDropped?: boolean;
}

/** A prompt that has been typed. */
export interface TypedPrompt {
  /** Resolves with the outcome of the prompt. Rejects with the signal's reason, and if no outcome can be found out. */
  outcome(signal: AbortSignal): Promise<Outcome>;
}

/** The steps of typing a prompt. All reject with terminal-not-found; steps that take a signal also reject with its reason. */
export interface Delivery {
  /** Resolves with the receiver of the prompt once it is ready. */
  ready(terminalId: string, when: Prompt['when'], signal: AbortSignal): Promise<Into>;
  /**
   * Resolves with a hold of the terminal once the input gate lets the prompt through. Rejects with the errors of the gate,
   * also if the agent is no longer idle.
   */
  enter(terminalId: string, into: Into, record: KeptPrompt, signal: AbortSignal): Promise<Hold>;
  /** Returns whether the shell is still at its prompt; whether an agent is still idle is checked by the input gate. */
  isStillReady(terminalId: string, into: Into): boolean;
  /**
   * Types and submits a prompt, at most once for each id. Rejects with errors of the gate and of typing, upon which nothing
   * was typed; with outcome-unknown; with unknown-cli-type.
   */
  type(terminalId: string, into: Into, id: string, record: KeptPrompt, hold: Hold): Promise<TypedPrompt>;
  /** Resolves once the composer of the agent holds no text that was typed before. */
  untilCleared(terminalId: string, signal: AbortSignal): Promise<void>;
}
