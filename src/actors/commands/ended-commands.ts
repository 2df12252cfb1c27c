import type { Command } from '../../contract/command.js';
import { MAX_COMMAND_LOG_CHARS, MAX_COMMANDS } from '../../contract/limits.js';

const ID_PREFIX = 'cmd_';

/** Position of the mark at which a command began; NaN for what is no id of one. */
export function positionOf(commandId: string): number {
  return commandId.startsWith(ID_PREFIX)
    ? Number.parseInt(commandId.slice(ID_PREFIX.length), 36)
    : Number.NaN;
}

function idOf(position: number): string {
  return ID_PREFIX + position.toString(36);
}

function charsOf({ commandLine, cwd }: Command): number {
  return commandLine.length + (cwd?.length ?? 0);
}

export interface EndedCommandsParts {
  /** Ids of those on the shelf, in any order. */
  ids: readonly string[];
  /** Characters of them. */
  chars: number;
  /** Reads one of them; undefined when it is damaged. */
  read: (commandId: string) => Command | undefined;
}

/** What has changed since the last time it was asked. */
export interface EndedChanges {
  put: readonly Command[];
  /** Ids. */
  remove: readonly string[];
}

/**
 * The commands of one terminal that have ended, in the order in which they began. Only their positions, and those
 * that are not on the shelf yet, are held in memory. Bounded in number and in characters: the oldest go first.
 */
export class EndedCommands {
  readonly #read: EndedCommandsParts['read'];
  /** Ascending. */
  readonly #positions: number[];
  readonly #unstored = new Map<string, Command>();
  readonly #removed = new Set<string>();
  #chars: number;

  constructor({ ids, chars, read }: EndedCommandsParts) {
    this.#read = read;
    this.#chars = chars;
    this.#positions = ids.map(positionOf).sort((a, b) => a - b);
    this.#trim();
  }

  get chars(): number {
    return this.#chars;
  }

  /** Undefined for one that is not known, or not any more. */
  get(commandId: string): Command | undefined {
    const position = positionOf(commandId);
    if (this.#positions[this.#placeOf(position)] !== position || idOf(position) !== commandId)
      return undefined;
    return this.#find(commandId);
  }

  /** The last ones to begin, newest first. */
  newest(limit: number): Command[] {
    const ids = this.#positions.slice(-limit).reverse().map(idOf);
    return ids.flatMap((id) => this.#find(id) ?? []);
  }

  /** Adds a command, or puts it in the place of what was known of it. */
  add(command: Command): void {
    this.remove(command.id);
    const position = positionOf(command.id);
    this.#positions.splice(this.#placeOf(position), 0, position);
    this.#chars += charsOf(command);
    this.#unstored.set(command.id, command);
    this.#trim();
  }

  remove(commandId: string): void {
    const position = positionOf(commandId);
    const place = this.#placeOf(position);
    if (this.#positions[place] !== position) return;
    const command = this.#find(commandId);
    // Of one that is damaged nobody knows how long it was.
    this.#chars = Math.max(0, this.#chars - (command ? charsOf(command) : 0));
    this.#positions.splice(place, 1);
    this.#unstored.delete(commandId);
    this.#removed.add(commandId);
  }

  /** What is to be written. Commands that it names are named again until they are {@link stored}. */
  changes(): EndedChanges {
    const remove = [...this.#removed];
    // One that stays on the disk when the write fails is removed at the next start, or with its terminal.
    this.#removed.clear();
    return { put: [...this.#unstored.values()], remove };
  }

  /** These are on the shelf now. */
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

  /** Where a position stands, or would stand. */
  #placeOf(position: number): number {
    // Nearly always it is the last, or comes after it.
    let place = this.#positions.length;
    while (place > 0 && (this.#positions[place - 1] ?? 0) >= position) place--;
    return place;
  }
}
