import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { Commands } from '#dist/actors/commands/commands.js';
import { KEPT_CODEC, type KeptRecord, shellRecordId } from '#dist/actors/commands/kept-record.js';
import type { EngineEvent } from '#dist/actors/events.js';
import { type TerminalMeta, unknownMeta } from '#dist/actors/terminal-record.js';
import { DomainError } from '#dist/contract/errors.js';
import type { ExitStatus } from '#dist/contract/terminal.js';
import { openStore } from '#dist/store/lmdb-store.js';
import type { Shelf, Store } from '#dist/store/store.js';
import type { CommandMark } from '#dist/workers/shard/stages/command-plan.js';

const EXIT: ExitStatus = { exitCode: 9, signal: null, exitedAt: 5_000 };

/** The commands of made-up terminals, on a real store. The test plays the terminals' events. */
export class CommandsByHand {
  readonly #folder: string;
  #store!: Store;
  commands!: Commands;
  /** The terminals that the registry knows. */
  readonly terminals = new Map<string, { meta: TerminalMeta; exit: ExitStatus | null }>();
  readonly announced: EngineEvent[] = [];
  /** Texts that were passed to the search index. */
  readonly failed: string[] = [];
  logged: string[] = [];
  isIndexing = true;
  /** Number of writes begun; `beforeWrite` is called before each. */
  writes = 0;
  /** Number of records put. */
  written = 0;
  /** Positions of the state that is on disk. */
  readonly #positions = new Map<string, number>();
  beforeWrite: () => void = () => {};

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async open(): Promise<CommandsByHand> {
    const rig = new CommandsByHand(await mkdtemp(join(tmpdir(), 'at-commands-')));
    await rig.#open();
    return rig;
  }

  /** Closes the store before the commands, and opens both again with the writes committed so far. */
  async crash(): Promise<void> {
    const before = this.commands;
    await this.#store.close();
    await before.close();
    await this.#open();
    this.logged = [];
  }

  /** Closes the commands, and opens them again. */
  async restart(): Promise<void> {
    await this.commands.close();
    await this.crash();
  }

  /** Called before a shard answers with output. */
  beforeRead = (): void => {};

  async close(): Promise<void> {
    await this.commands.close();
    await this.#store.close();
    await rm(this.#folder, { recursive: true });
  }

  /** A shard opens the terminal. */
  take(id: string, meta: Partial<TerminalMeta> = {}) {
    const marks = { shell: 'bash' as const, nonce: 'secret' };
    const terminal = this.terminals.get(id) ?? { meta: { ...unknownMeta(), marks, ...meta }, exit: null };
    this.terminals.set(id, terminal);
    return this.commands.planOf(id, terminal.meta);
  }

  tell(id: string, marks: readonly CommandMark[]): void {
    for (const mark of marks) this.commands.onEvent({ type: 'mark', id, mark });
  }

  /** Resolves once these marks, and all earlier ones, are on disk. */
  async kept(id: string, marks: readonly CommandMark[]): Promise<void> {
    const last = marks.at(-1)?.state.position;
    await vi.waitFor(() => expect(this.#positions.get(shellRecordId(id))).toBe(last), 10_000);
  }

  exit(id: string): void {
    this.terminals.get(id)!.exit = EXIT;
    this.commands.onEvent({ type: 'exited', id, exit: EXIT });
  }

  remove(id: string): void {
    this.terminals.delete(id);
    this.commands.onEvent({ type: 'removed', id, reason: 'closed' });
  }

  /** Command lines, newest first. */
  lines(id: string): string[] {
    return this.commands.list(id, 50).commands.map(({ commandLine }) => commandLine);
  }

  async #open(): Promise<void> {
    const log = (_fields: unknown, message: string) => void this.logged.push(message);
    const logger = { warn: log, error: log } as never;
    this.#store = await openStore(join(this.#folder, 'store'), logger);
    this.commands = new Commands({
      shelf: this.#watched(this.#store.shelf('commands', KEPT_CODEC)),
      terminals: () => ({
        startOf: (id) => this.#startOf(id),
        announce: (event) => void this.announced.push(event),
      }),
      screens: () => ({
        rangeText: async (id, { start, end, raw, maxBytes }) => {
          this.beforeRead();
          return { text: `${id} ${start} to ${end} ${raw} ${maxBytes}`, truncated: false };
        },
        expectMarks: async () => {},
      }),
      index: { failed: (_id, text) => void this.failed.push(text), leftOut: () => {} },
      ownerOf: () => undefined,
      isIndexing: () => this.isIndexing,
      logger,
    });
  }

  #watched(shelf: Shelf<KeptRecord>): Shelf<KeptRecord> {
    return {
      ids: (prefix) => shelf.ids(prefix),
      get: (id) => shelf.get(id),
      hurry: () => shelf.hurry(),
      write: async (changes) => {
        this.writes++;
        this.beforeWrite();
        await shelf.write(changes);
        this.written += changes.put.size;
        for (const [id, record] of changes.put) {
          if (record.kind === 'shell') this.#positions.set(id, record.state.position);
        }
      },
    };
  }

  #startOf(id: string) {
    const terminal = this.terminals.get(id);
    if (!terminal) throw new DomainError('terminal-not-found');
    return { id, pid: 1, size: { cols: 80, rows: 24 }, ...terminal };
  }
}
