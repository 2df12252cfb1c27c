import type { AgentState } from '../contract/agent.js';
import type { Command } from '../contract/command.js';
import type { CreateTerminal, ExitStatus, InputOrigin, InputPart, Terminal } from '../contract/terminal.js';
import type { Written } from '../workers/pty-host/typing.js';
import type { OutputFrame, StreamMessage } from '../workers/shard/protocol.js';
import type { RecordingEnd } from '../workers/shard/taps/recording-plan.js';

/** Where the creator of a terminal wants it to stand. */
export type Placement = Pick<CreateTerminal, 'paneId' | 'direction' | 'parentTerminalId'>;

/** What happens to terminals, in the order it happened for each of them. */
export type EngineEvent =
  | { type: 'created'; id: string; terminal: Terminal; placement: Placement }
  /** Accepted for the program; `parts` in the order they reach it, `at` (epoch milliseconds) before they did. */
  | {
      type: 'typed';
      id: string;
      parts: InputPart[];
      origin: InputOrigin;
      at: number;
      /** The line of a run, which its shell has taken: it was typed by a key. */
      isRun?: boolean;
    }
  /** What was typed has been written. Only here is it known what may be kept of it; the terminal may be gone by then. */
  | ({ type: 'written'; id: string; parts: InputPart[]; at: number } & Written)
  /** Output, encoded for those who watched by the interest numbered `watching`. */
  | ({ type: 'output'; id: string; watching: number } & OutputFrame)
  /** ESC c and the screen as of here, asked for by who missed output. */
  | ({ type: 'resync'; id: string } & OutputFrame)
  /** Output may be missing here, until the next `resync`. */
  | { type: 'interrupted'; id: string }
  | { type: 'resized'; id: string; cols: number; rows: number }
  /** Lines for the search index; the terminal itself may be gone by then. */
  | Extract<StreamMessage, { type: 'printed' }>
  /** Its shell has told of a command or a prompt. */
  | Extract<StreamMessage, { type: 'mark' }>
  /** A command of it began, or has ended. */
  | { type: 'command'; id: string; command: Command }
  /** The coding agent in it came, went, or changed what it does. */
  | { type: 'agent'; id: string; agent: AgentState }
  /** A recording of the terminal has ended; the terminal itself may be gone by then. */
  | ({ type: 'recorded'; id: string } & RecordingEnd)
  /** The program ended; all its output came before. */
  | { type: 'exited'; id: string; exit: ExitStatus }
  /** `closed`: somebody asked for it; `expired`: its time as an exited one was over; `lost`: its pty host died. */
  | { type: 'removed'; id: string; reason: 'closed' | 'expired' | 'lost' };
