import type { ChangesAnswer } from '../contract/changes.js';
import type { Labels } from '../contract/labels.js';
import type {
  Capture,
  CreateTerminal,
  InputOrigin,
  InputPart,
  OutputPage,
  Reflowed,
  Snapshot,
  Terminal,
  TerminalMode,
  TerminalSize,
  UpdateTerminal,
} from '../contract/terminal.js';

/** What the gateway asks of the terminals; every promise ends, with a result or a DomainError. */
export interface TerminalsPort {
  list(status: 'running' | 'all'): Terminal[];

  /** A terminal that runs, or has exited and is still kept. Throws terminal-not-found. */
  get(id: string): Terminal;

  newId(): string;

  /**
   * Gives the terminal of this id where there is one already. Throws tmux-unavailable, spawn-failed, outcome-unknown,
   * and where it is to stand beside what is not there.
   */
  create(request: CreateTerminal, mode: TerminalMode, id?: string): Promise<Terminal>;

  /** Running or kept. Throws terminal-not-found. */
  close(id: string): Promise<void>;

  /** Throws terminal-not-found. */
  size(id: string): TerminalSize;

  /** Throws terminal-not-found. */
  resize(id: string, size: TerminalSize): Promise<void>;

  /**
   * Writes the parts in order with nothing between them; a part waits `delayMs` after the one before has
   * reached the program. Resolves once accepted, with whether that was before, under the same `once` (the id of an
   * operation). Throws terminal-not-found, input-buffer-full, unavailable, outcome-unknown.
   */
  type(
    id: string,
    parts: InputPart[],
    origin: InputOrigin,
    options?: { once?: string | undefined },
  ): Promise<boolean>;

  /**
   * Types the same into each of the terminals, in this order. Resolves once each has accepted it, or not: with why not,
   * as of {@link type}, in the places of these.
   */
  typeAll(
    ids: readonly string[],
    parts: InputPart[],
    origin: InputOrigin,
    options?: { once?: string | undefined },
  ): Promise<(unknown | undefined)[]>;

  /** Changes name and labels. Throws terminal-not-found, invalid-request. */
  update(id: string, change: UpdateTerminal): Promise<Terminal>;

  /** Ids of the running terminals whose labels are all of these. */
  select(selector: Labels): string[];
}

/** What the gateway asks of what terminals show and have printed; throws terminal-not-found. */
export interface ScreensPort {
  /** Throws invalid-cursor. */
  output(id: string, query: { lines?: number; offset: number; since?: string }): Promise<OutputPage>;

  snapshot(id: string): Promise<Snapshot>;

  /** How its keys are encoded at this moment. */
  look(id: string): Promise<{ modes: { applicationCursor: boolean; bracketedPaste: boolean } }>;

  /** Where the output stands; null where that is not known in time. */
  cursor(id: string, deadlineMs: number): Promise<string | null>;

  changes(cursors: ReadonlyMap<string, string | null>, maxBytes: number): Promise<ChangesAnswer>;
}

/** What the gateway asks of what terminals show, row by row; throws terminal-not-found, unavailable. */
export interface CapturesPort {
  capture(id: string, scrollback: boolean): Promise<Capture>;

  /** Resizes; what was reflowed comes along unless `content` is false. Throws resized-meanwhile. */
  reflow(id: string, size: TerminalSize, content: boolean): Promise<Reflowed>;
}
