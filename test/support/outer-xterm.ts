import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readlinkSync, writeSync } from 'node:fs';
import type { Terminal as Xterm } from '@xterm/headless';
import { type IPty, spawn } from 'node-pty';
import { afterEach, expect } from 'vitest';
import type { Terminal } from '#dist/client/index.js';
import { internals } from '../../src/workers/shard/screen/xterm/internals.js';
import { createTerminal } from '../../src/workers/shard/screen/xterm/terminal.js';
import { CLI } from './cli.js';
import { childrenOf, eventually, processInfo } from './processes.js';
import { assertSameState } from './screen-compare.js';
import { modesOf } from './terminal-modes.js';

interface OuterOptions {
  cols?: number;
  rows?: number;
  env?: Record<string, string>;
}

/**
 * A person's terminal whose every cell, mode and byte can be inspected: xterm.js on a PTY, with a shell in it. Unlike
 * tmux, xterm.js answers queries as xterm does.
 */
export class OuterXterm {
  readonly #pty: IPty;
  readonly #term: Xterm;
  #written = '';
  #answers = '';

  constructor({ cols = 80, rows = 20, env = {} }: OuterOptions = {}) {
    this.#term = createTerminal(cols, rows, 10_000);
    this.#term.options.windowOptions = { pushTitle: true, popTitle: true };
    const { PATH = '' } = process.env;
    const shell = { PATH, PS1: 'person$ ', ENV: '', LANG: 'C.UTF-8', TERM: 'xterm-256color', ...env };
    this.#pty = spawn('sh', [], { cols, rows, cwd: '/', env: shell, name: shell.TERM });
    this.#pty.onData((data) => {
      this.#written += data;
      this.#term.write(data);
    });
    this.#term.onData((answer) => {
      this.#answers += answer;
      this.#pty.write(answer);
    });
  }

  /** All output that was written to the terminal. */
  get written(): string {
    return this.#written;
  }

  /** All answers that the terminal has sent by itself. */
  get answers(): string {
    return this.#answers;
  }

  /** The text of the rows. */
  get rows(): string[] {
    const { active } = this.#term.buffer;
    return Array.from({ length: this.#term.rows }, (_, row) => this.#row(active.baseY + row));
  }

  /** The rows that have scrolled away, and the rows of the screen. */
  get history(): string {
    const { normal } = this.#term.buffer;
    return Array.from({ length: normal.length }, (_, row) => this.#row(row, normal)).join('\n');
  }

  /** Id of the process that {@link run} has started in the shell. */
  get pid(): number {
    const [child] = childrenOf(this.#pty.pid);
    if (!child) throw new Error('nothing runs in the shell');
    return child.pid;
  }

  get isIdle(): boolean {
    return childrenOf(this.#pty.pid).length === 0;
  }

  /** Path of the terminal's line, to which its programs write. */
  get #line(): string {
    return readlinkSync(`/proc/${this.#pty.pid}/fd/0`);
  }

  /**
   * Whether the terminal's line has no room, so that each program that writes to it must wait. The test writes a NUL,
   * which stays in the line if there is room.
   */
  isFull(): boolean {
    const { O_NOCTTY, O_NONBLOCK, O_WRONLY } = constants;
    const line = openSync(this.#line, O_WRONLY | O_NONBLOCK | O_NOCTTY);
    try {
      writeSync(line, '\0');
      return false;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      return true;
    } finally {
      closeSync(line);
    }
  }

  /** The terminal's modes and title, and its line settings by `stty -g`. */
  get state(): object {
    const stty = execFileSync('stty', ['-g', '-F', this.#line], { encoding: 'utf8' }).trim();
    return { ...modesOf(this.#term), title: this.title, stty };
  }

  get title(): string {
    return internals(this.#term)._inputHandler._windowTitle;
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  /** Runs the command line in the shell, for the service of a home, and shows its exit code. */
  run(home: string, ...args: string[]): void {
    const words = [process.execPath, CLI, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`);
    this.type(`AUTO_TERMINAL_HOME=${home} ${words.join(' ')}; echo "ended $?"\r`);
  }

  resize({ cols, rows }: { cols: number; rows: number }): void {
    this.#term.resize(cols, rows);
    this.#pty.resize(cols, rows);
  }

  /** Whether the terminal reads the output of its programs. */
  set isReading(isReading: boolean) {
    if (isReading) this.#pty.resume();
    else this.#pty.pause();
  }

  /** Resolves once the screen contains the text. */
  async shows(text: string | RegExp): Promise<void> {
    const isShown = () => {
      const screen = this.rows.map((row) => row.trimEnd()).join('\n');
      return typeof text === 'string' ? screen.includes(text) : text.test(screen);
    };
    await eventually(`the outer terminal shows ${text}`, isShown).catch((cause: unknown) => {
      throw new Error(`The outer terminal shows:\n${this.rows.join('\n')}`, { cause });
    });
  }

  /** Resolves once the screen equals the terminal's own screen in each cell, attribute and mode. */
  async showsExactly(terminal: Terminal): Promise<void> {
    let differences: unknown;
    await eventually('both screens are the same', async () => {
      const { snapshot, cols, rows } = await terminal.snapshot();
      const own = createTerminal(cols, rows, 0);
      await new Promise<void>((resolve) => own.write(snapshot, resolve));
      try {
        assertSameState(this.#term, own, { scrollback: false, isLater: true });
        return true;
      } catch (error) {
        differences = error;
        return false;
      } finally {
        own.dispose();
      }
    }).catch((cause: unknown) => {
      throw new Error(`${differences}`, { cause });
    });
  }

  /** Closes the terminal, as a person does: its programs get SIGHUP, and their terminal is gone. */
  close(): void {
    this.#pty.kill('SIGHUP');
  }

  async dispose(): Promise<void> {
    const { pid } = this.#pty;
    const left = childrenOf(pid);
    this.#pty.kill('SIGKILL');
    for (const child of left) if (processInfo(child.pid)) process.kill(child.pid, 'SIGKILL');
    await eventually('the shell has ended', () => processInfo(pid) === undefined);
    this.#term.dispose();
  }

  #row(index: number, buffer = this.#term.buffer.active): string {
    return buffer.getLine(index)?.translateToString(true) ?? '';
  }
}

/**
 * Returns a function that opens an outer terminal, which is closed after the test. The test fails if a terminal has
 * sent answers by itself.
 */
export function useXterms(): (options?: OuterOptions) => OuterXterm {
  const outers: OuterXterm[] = [];
  afterEach(async () => {
    const used = outers.splice(0);
    for (const outer of used) await outer.dispose();
    expect(used.map(({ answers }) => answers).join('')).toBe('');
  });
  return (options) => {
    const outer = new OuterXterm(options);
    outers.push(outer);
    return outer;
  };
}
