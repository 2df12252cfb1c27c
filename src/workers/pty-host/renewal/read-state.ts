import type { EarlierTerminal } from '../earlier-terminal.js';
import type { AdoptedTerminal } from '../terminal-maker.js';
import { KeptState, type KeptTerminalHead } from './kept-state.js';
import type { StateFiles } from './state-files.js';

/** A terminal of a host that has been renewed. */
export type Readopted = EarlierTerminal & AdoptedTerminal;

/** Returns the state without the bytes of its terminals. Throws if it is of another format, or damaged. */
export function readHead(files: StateFiles): KeptState {
  return KeptState.parse(JSON.parse(files.readHead().toString()));
}

/** Yields the terminals of a state, one after another, since their bytes can be many. Throws if bytes are missing. */
export function* readTerminals(files: StateFiles, { terminals }: KeptState): Iterable<Readopted> {
  for (const head of terminals) yield readTerminal(files, head);
}

function readTerminal(files: StateFiles, head: KeptTerminalHead): Readopted {
  const { session, pty, log, input, ...terminal } = head;
  const { length, ...checkpoint } = log.checkpoint;
  const { drain } = pty;
  return {
    ...terminal,
    ...session,
    log: {
      checkpoint: { ...checkpoint, bytes: files.readCheckpoint(length) },
      output: files.read(log.output),
      resizes: log.resizes,
    },
    input: input.map((part) => ({ delayMs: part.delayMs, bytes: files.read(part.length) })),
    pty: {
      ...pty,
      input: [],
      drain: drain && {
        ...drain,
        marker: Buffer.from(drain.marker, 'base64'),
        held: Buffer.from(drain.held, 'base64'),
      },
    },
  };
}
