import type { Prompt, PromptEnd, PromptReason } from '../../contract/prompt.js';
import type { Hold } from '../input-gate/hold.js';
import type { KeptPrompt } from './kept-prompt.js';

/** What takes a prompt. */
export type Into = 'agent' | 'shell';

/** What has become of a typed prompt. */
export interface Outcome {
  state: PromptEnd;
  reason?: PromptReason;
}

/** A prompt that has been typed. */
export interface TypedPrompt {
  /** Resolves with what has become of it. Rejects with the signal's reason, and if nothing can be found out. */
  outcome(signal: AbortSignal): Promise<Outcome>;
}

/** The steps of typing a prompt. All reject with terminal-not-found, and those with a signal with its reason. */
export interface Delivery {
  /** Resolves with what takes the prompt, once that is ready. */
  ready(terminalId: string, when: Prompt['when'], signal: AbortSignal): Promise<Into>;
  /**
   * Resolves with a hold of the terminal once the input gate lets the prompt through. Rejects with the errors of the gate,
   * also if the agent is not idle any more.
   */
  enter(terminalId: string, into: Into, record: KeptPrompt, signal: AbortSignal): Promise<Hold>;
  /** Returns whether the shell still is at its prompt. Of an agent the gate makes sure. */
  isStillReady(terminalId: string, into: Into): boolean;
  /**
   * Types and submits a prompt, at most once for each id. Rejects with errors of the gate and of typing, upon which nothing
   * was typed; with outcome-unknown; with unknown-cli-type.
   */
  type(terminalId: string, into: Into, id: string, record: KeptPrompt, hold: Hold): Promise<TypedPrompt>;
  /** Resolves once no text that was typed before stands in the composer of the agent. */
  untilCleared(terminalId: string, signal: AbortSignal): Promise<void>;
}
