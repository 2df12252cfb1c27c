import type { ExitStatus, Terminal } from '../contract/terminal.js';
import type { OutputFrame } from '../workers/shard/protocol.js';

/** What happens to terminals, in the order it happened for each of them. */
export type EngineEvent =
  | { type: 'created'; id: string; terminal: Terminal }
  /** Output, encoded for those who watched by the interest numbered `watching`. */
  | ({ type: 'output'; id: string; watching: number } & OutputFrame)
  /** ESC c and the screen as of here, asked for by who missed output. */
  | ({ type: 'resync'; id: string } & OutputFrame)
  /** Output may be missing here, until the next `resync`. */
  | { type: 'interrupted'; id: string }
  | { type: 'resized'; id: string; cols: number; rows: number }
  /** The program ended; all its output came before. */
  | { type: 'exited'; id: string; exit: ExitStatus }
  | { type: 'removed'; id: string };
