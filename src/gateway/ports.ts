import type { CreationTerms } from '../actors/creation.js';
import type { Ask } from '../actors/input-gate/ask.js';
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

/** The terminals, as the gateway calls them. Every promise settles: with a result, or with a DomainError. */
export interface TerminalsPort {
  list(status: 'running' | 'all'): Terminal[];

  /** Returns a terminal that runs, or has exited and is still kept. Throws terminal-not-found. */
  get(id: string): Terminal;

  newId(): string;

  /**
   * Creates a terminal, or returns the terminal that has this id already. Throws over-limit, tmux-unavailable,
   * spawn-failed, outcome-unknown, the reason of `terms.client`, and an error if the request places it beside something
   * that does not exist.
   */
  create(request: CreateTerminal, mode: TerminalMode, id?: string, terms?: CreationTerms): Promise<Terminal>;

  /** Closes a running terminal, or drops a kept one. Throws terminal-not-found. */
  close(id: string): Promise<void>;

  /** Throws terminal-not-found. */
  size(id: string): TerminalSize;

  /**
   * Writes the parts in order with nothing between them; each part waits `delayMs` after the part before has reached
   * the program. Resolves once accepted, with whether that happened before under the same `once` (the id of an
   * operation). Throws terminal-not-found, input-buffer-full, unavailable, outcome-unknown; and locked, lease-lost,
   * agent-waiting, agent-busy, no-agent, and the reason of the signal of `ask`, if the gate lets nothing through.
   */
  type(
    id: string,
    parts: InputPart[],
    origin: InputOrigin,
    options?: { once?: string | undefined; ask?: Ask | undefined },
  ): Promise<boolean>;

  /**
   * Types the same into each of the terminals, in this order. Resolves once each has accepted or refused it, with an
   * entry for each terminal: undefined, or the error, as of {@link type}.
   */
  typeAll(
    ids: readonly string[],
    parts: InputPart[],
    origin: InputOrigin,
    options?: { once?: string | undefined; ask?: Ask | undefined },
  ): Promise<(unknown | undefined)[]>;

  /** Changes name and labels. Throws terminal-not-found, invalid-request. */
  update(id: string, change: UpdateTerminal): Promise<Terminal>;

  /** Returns the ids of the running terminals that have all of these labels. */
  select(selector: Labels): string[];
}

/** The sizes of terminals, as the gateway sets them. */
export interface SizesPort {
  /** Sets the size that a terminal has without attached clients, and at once. Throws terminal-not-found. */
  resize(id: string, size: TerminalSize): Promise<void>;
}

/** The screens and the output of terminals, as the gateway reads them. Throws terminal-not-found. */
export interface ScreensPort {
  /** Throws invalid-cursor. */
  output(id: string, query: { lines?: number; offset: number; since?: string }): Promise<OutputPage>;

  snapshot(id: string): Promise<Snapshot>;

  /** Returns the modes that decide at this moment how keys are encoded. */
  place(id: string): Promise<{ modes: { applicationCursor: boolean; bracketedPaste: boolean } }>;

  /** Returns the cursor at the end of the output; null if it is not known in time. */
  cursor(id: string, deadlineMs: number): Promise<string | null>;

  changes(cursors: ReadonlyMap<string, string | null>, maxBytes: number): Promise<ChangesAnswer>;
}

/** The screens of terminals, row by row. Throws terminal-not-found, unavailable. */
export interface CapturesPort {
  capture(id: string, scrollback: boolean): Promise<Capture>;

  /** Resizes. The answer has the reflowed content unless `content` is false. Throws resized-meanwhile. */
  reflow(id: string, size: TerminalSize, content: boolean): Promise<Reflowed>;
}
