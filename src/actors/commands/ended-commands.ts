import type { Command } from '../../contract/command.js';
import { MAX_COMMAND_LOG_CHARS, MAX_COMMANDS } from '../../contract/limits.js';

const ID_PREFIX = 'cmd_';

/** Returns the position of the mark at which a command began; NaN for a text that is not the id of a command. */
export function positionOfCommand(commandId: string): number {
  return commandId.startsWith(ID_PREFIX)
    ? Number.parseInt(commandId.slice(ID_PREFIX.length), 36)
    : Number.NaN;
}

function idOf(position: number): string {
  return ID_PREFIX + position.toString(36);
}

/** Returns a 32-bit hash of the id of a run; 0 for no run. */
function tagOf(runId: string | undefined): number {
  if (runId === undefined) return 0;
  let tag = 0;
  for (let index = 0; index < runId.length; index++) tag = (Math.imul(tag, 31) + runId.charCodeAt(index)) | 0;
  return tag || 1;
}

function charsOf({ commandLine, cwd }: Command): number {
  return commandLine.length + (cwd?.length ?? 0);
}

export interface EndedCommandsParts {
  /** Ids of the commands on the shelf, in any order. */
  ids: readonly string[];
  /** Their characters together. */
  chars: number;
  /** Reads a command; undefined when it is damaged. */
  read: (commandId: string) => Command | undefined;
}

/** Changes to write to the shelf. */
export interface EndedChanges {
  put: readonly Command[];
  /** Ids of commands. */
  remove: readonly string[];
}

/**
 * The commands of one terminal that have ended, in the order in which they began. Memory holds only their positions,
 * and the commands that are not on the shelf yet. MAX_COMMANDS and MAX_COMMAND_LOG_CHARS bound them: the oldest go
 * first.
 */
export class EndedCommands {
  readonly #read: EndedCommandsParts['read'];
  /** Ascending. */
  readonly #positions: number[];
  /**
   * For each position the tag of the command's run, so that a new run need not read all commands of its terminal to
   * learn that it has none yet. undefined for a command that an earlier service process stored, until it is read.
   */
  readonly #tags: (number | undefined)[];
  readonly #unstored = new Map<string, Command>();
  readonly #removed = new Set<string>();
  #chars: number;

  constructor({ ids, chars, read }: EndedCommandsParts) {
    this.#read = read;
    this.#chars = chars;
    this.#positions = ids.map(positionOfCommand).sort((a, b) => a - b);
    this.#tags = this.#positions.map(() => undefined);
    this.#trim();
  }

  get chars(): number {
    return this.#chars;
  }

  /** Returns an ended command; undefined if it is unknown or has been dropped. */
  get(commandId: string): Command | undefined {
    const position = positionOfCommand(commandId);
    if (this.#positions[this.#placeOf(position)] !== position || idOf(position) !== commandId)
      return undefined;
    return this.#find(commandId);
  }

  /** Returns the last commands to begin, newest first. */
  newest(limit: number): Command[] {
    const ids = this.#positions.slice(-limit).reverse().map(idOf);
    return ids.flatMap((id) => this.#find(id) ?? []);
  }

  /** Returns the commands of this run, in the order in which they began. */
  ofRun(runId: string): Command[] {
    const tag = tagOf(runId);
    return this.#positions.flatMap((position, place) => {
      if ((this.#tags[place] ?? tag) !== tag) return [];
      const command = this.#find(idOf(position));
      this.#tags[place] = tagOf(command?.runId);
      return command?.runId === runId ? command : [];
    });
  }

  /** Adds a command, or replaces its earlier state. */
  add(command: Command): void {
    this.remove(command.id);
    const position = positionOfCommand(command.id);
    const place = this.#placeOf(position);
    this.#positions.splice(place, 0, position);
    this.#tags.splice(place, 0, tagOf(command.runId));
    this.#chars += charsOf(command);
    this.#unstored.set(command.id, command);
    this.#trim();
  }

  remove(commandId: string): void {
    const position = positionOfCommand(commandId);
    const place = this.#placeOf(position);
    if (this.#positions[place] !== position) return;
    const command = this.#find(commandId);
    // The length of a damaged command is unknown.
    this.#chars = Math.max(0, this.#chars - (command ? charsOf(command) : 0));
    this.#positions.splice(place, 1);
    this.#tags.splice(place, 1);
    this.#unstored.delete(commandId);
    this.#removed.add(commandId);
  }

  /** Returns the changes to write. Commands are part of them each time until they are {@link stored}. */
  changes(): EndedChanges {
    const remove = [...this.#removed];
    // If the write fails, the removed record stays on disk until MAX_COMMANDS pushes it out after a restart, or its
    // terminal is removed.
    this.#removed.clear();
    return { put: [...this.#unstored.values()], remove };
  }

  /** Drops these commands from memory, since they are on the shelf. */
  stored({ put }: EndedChanges): void {
    for (const command of put) {
      if (this.#unstored.get(command.id) === command) this.#unstored.delete(command.id);
    }
  }

  #find(commandId: string): Command | undefined {
    return this.#unstored.get(commandId) ?? this.#read(commandId);
  }

  #trim(): void {
    for (;;) {
      const [oldest] = this.#positions;
      const isOver = this.#positions.length > MAX_COMMANDS || this.#chars > MAX_COMMAND_LOG_CHARS;
      if (oldest === undefined || !isOver) return;
      this.remove(idOf(oldest));
    }
  }

  /** Returns the index of a position, or the index at which to insert it. */
  #placeOf(position: number): number {
    // Search from the end: the position nearly always is the last, or comes after it.
    let place = this.#positions.length;
    while (place > 0 && (this.#positions[place - 1] ?? 0) >= position) place--;
    return place;
  }
}
