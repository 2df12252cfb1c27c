import type { AgentChange } from '../contract/agent.js';
import type { AttachedClient, DetachReason } from '../contract/attach.js';
import type { Command } from '../contract/command.js';
import type { LeaseChange } from '../contract/input-gate.js';
import type { CreateTerminal, ExitStatus, InputOrigin, InputPart, Terminal } from '../contract/terminal.js';
import type { Written } from '../workers/pty-host/wire/typing.js';
import type { OutputFrame, StreamMessage } from '../workers/shard/protocol.js';
import type { SignMessage } from '../workers/shard/sign-message.js';
import type { RecordingEnd } from '../workers/shard/stages/recording-plan.js';

/** The creator's wishes for the place of a new terminal in the layout and on the canvas. */
export type Placement = Pick<CreateTerminal, 'paneId' | 'direction' | 'parentTerminalId'>;

/** Output for the clients that watch a terminal, in order with its events. Only the fan-out gets these. */
export type FrameEvent =
  /** Output, in the variants that are watched. */
  | ({ type: 'output'; id: string } & OutputFrame)
  /** ESC c and the screen at this point, for clients that missed output or begin with the screen. */
  | ({ type: 'resync'; id: string } & OutputFrame);

/** Events of terminals; the events of each terminal come in the order in which they happened. */
export type EngineEvent =
  | { type: 'created'; id: string; terminal: Terminal; placement: Placement }
  /** A pty host that has taken over lists a terminal that was not known here; no `created` reports it. */
  | { type: 'adopted'; id: string }
  /** Name, labels or tab were set, perhaps to the values that they had. */
  | { type: 'updated'; id: string; terminal: Terminal }
  /**
   * Input is about to be sent: what the program does with it may be reported before `typed`. `untyped` follows if
   * nothing of it was typed, and neither if that is unknown.
   */
  | { type: 'typing' | 'untyped'; id: string; parts: InputPart[] }
  /**
   * Input was accepted for the program: `parts` in the order in which they reach it, `at` in epoch milliseconds before
   * they do.
   */
  | {
      type: 'typed';
      id: string;
      parts: InputPart[];
      origin: InputOrigin;
      at: number;
      /** Set for the line of a run: the service typed a key, upon which the shell took the line by itself. */
      isRun?: boolean;
    }
  /** Typed input was written. Only here is it known what may be kept of the input; the terminal may be gone by then. */
  | ({ type: 'written'; id: string; parts: InputPart[]; at: number } & Written)
  /** The right to type into the terminal has changed; the terminal may be gone by then. */
  | { type: 'lease'; id: string; change: LeaseChange }
  /** Output may be missing from here to the next `resync`. */
  | { type: 'interrupted'; id: string }
  | { type: 'resized'; id: string; cols: number; rows: number }
  /** The terminal prints, rings, or has a new title. */
  | SignMessage
  /** Lines for the search index; the terminal may be gone by then. */
  | Extract<StreamMessage, { type: 'printed' }>
  /** The terminal's shell reported a command or a prompt. */
  | Extract<StreamMessage, { type: 'mark' }>
  /** A command in the terminal began or ended. */
  | { type: 'command'; id: string; command: Command }
  /** The coding agent in the terminal came, went, or changed its status; `isAgain`: report it even if it was reported before. */
  | { type: 'agent'; id: string; agent: AgentChange; isAgain?: boolean }
  /** A client attached to the terminal. */
  | { type: 'attached'; id: string; client: AttachedClient }
  /** A client is no longer attached; the terminal may be gone by then. */
  | { type: 'detached'; id: string; client: AttachedClient; reason: DetachReason }
  /** A recording of the terminal ended; the terminal may be gone by then. */
  | ({ type: 'recorded'; id: string } & RecordingEnd)
  /** The program ended; all its output came before. */
  | { type: 'exited'; id: string; exit: ExitStatus }
  /** `closed`: on request; `expired`: an exited terminal is not kept longer; `lost`: its pty host died. */
  | { type: 'removed'; id: string; reason: 'closed' | 'expired' | 'lost' };
