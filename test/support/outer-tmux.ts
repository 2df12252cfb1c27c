import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CLI } from './cli.js';
import { eventually } from './processes.js';

/** Names under which tmux reports a pane's modes and positions. */
const FLAGS = [
  ...['alternate_on', 'cursor_flag', 'insert_flag', 'keypad_cursor_flag', 'keypad_flag', 'origin_flag'],
  ...['wrap_flag', 'mouse_all_flag', 'mouse_any_flag', 'mouse_button_flag', 'mouse_sgr_flag'],
  ...['mouse_standard_flag', 'mouse_utf8_flag', 'scroll_region_upper', 'scroll_region_lower', 'pane_tabs'],
  'pane_title',
];

const PROGRAM = `
import { AutoTerminal } from '${import.meta.resolve('#dist/client/index.js')}';
import { attachTo } from '${import.meta.resolve('#dist/command/attach/attach.js')}';
const { home, id, options, fails } = JSON.parse(process.argv[2]);
const client = AutoTerminal.connect({ env: { AUTO_TERMINAL_HOME: home } });
const { stdin, stdout, stderr } = process;
if (fails) process.on('SIGUSR2', () => { throw new Error('a fault of the test'); });
try {
  const end = await attachTo({ terminal: client.terminals.get(id), stdin, stdout, stderr, options });
  console.log('ended', JSON.stringify(end));
} finally {
  client.close();
}
`;

/** Makes the program that loads this code fail at SIGUSR2. */
const FAULT = `process.on('SIGUSR2', () => { throw new Error('a fault of the test'); });`;

interface AttachOptions {
  readOnly?: boolean;
  detachKeys?: string;
  name?: string;
}

/** A person's terminal: a pane of a tmux server of its own, with a shell in it. */
export class OuterTmux {
  readonly #folder = mkdtempSync(join(tmpdir(), 'outer-'));
  readonly #program = join(this.#folder, 'attach.mjs');
  #count = 0;

  constructor({ cols, rows }: { cols: number; rows: number }) {
    writeFileSync(this.#program, PROGRAM);
    const config = 'set -g status off\nset -g escape-time 0\nset -s extended-keys on\n';
    writeFileSync(join(this.#folder, 'conf'), config);
    this.#tmux(
      'new-session',
      '-d',
      '-s',
      'outer',
      '-x',
      `${cols}`,
      '-y',
      `${rows}`,
      'PS1="person$ " exec sh',
    );
  }

  /** The text of the rows, without blanks at their ends. */
  get rows(): string[] {
    return this.#tmux('capture-pane', '-p', '-t', 'outer').replace(/\n$/, '').split('\n');
  }

  /** The rows with their colours. */
  get colored(): string {
    return this.#tmux('capture-pane', '-p', '-e', '-t', 'outer');
  }

  /** All rows that the terminal has shown, including rows that have scrolled away. */
  get history(): string {
    return this.#tmux('capture-pane', '-p', '-S', '-', '-t', 'outer');
  }

  /** Row and column of the cursor, from 0. */
  get cursor(): [number, number] {
    const [row, col] = this.#tmux('display-message', '-p', '-t', 'outer', '#{cursor_y} #{cursor_x}').split(
      ' ',
    );
    return [Number(row), Number(col)];
  }

  /** Resolves with the pane's modes, and the line settings by `stty -g`, once the shell is at its prompt. */
  async state(): Promise<Record<string, string>> {
    // A program may still hold the terminal after its last output.
    const program = () =>
      this.#tmux('display-message', '-p', '-t', 'outer', '#{pane_current_command}').trim();
    await eventually('the shell has the terminal', () => program() === 'sh');
    const file = join(this.#folder, `stty${++this.#count}`);
    this.type(`stty -g >${file}; tmux_done=1; clear; printf 'state %s\\n' ${this.#count}\r`);
    await this.shows(`state ${this.#count}`);
    return { ...this.flags, stty: readFileSync(file, 'utf8').trim() };
  }

  /** Modes of the pane, as tmux names them. */
  get flags(): Record<string, string> {
    const format = FLAGS.map((flag) => `#{${flag}}`).join('\t');
    const values = this.#tmux('display-message', '-p', '-t', 'outer', format).trim().split('\t');
    return Object.fromEntries(FLAGS.map((flag, index) => [flag, values[index] ?? '']));
  }

  get title(): string {
    return this.flags.pane_title ?? '';
  }

  /** Types the text as a keyboard would send it. */
  type(text: string): void {
    const hex = [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'));
    this.#tmux('send-keys', '-H', '-t', 'outer', ...hex);
  }

  /** Attaches to a terminal of the service of a home; {@link pid} then returns the id of the attaching process. */
  attach(home: string, id: string, options: AttachOptions = {}, { fails = false } = {}): void {
    const plan = JSON.stringify({ home, id, options, fails });
    const file = join(this.#folder, 'start');
    writeFileSync(
      file,
      `echo $$ >${this.#folder}/pid; exec '${process.execPath}' ${this.#program} '${plan}'\n`,
    );
    this.type(`sh ${file}\r`);
  }

  /**
   * Runs a verb of the command for the service of a home, and then prints its exit code. {@link pid} then returns its
   * process id. SIGUSR2 makes it fail.
   * @param prefix - a program that runs the command, such as `setsid --wait`
   */
  command(home: string, args: readonly string[], { prefix = '', env = '' } = {}): void {
    writeFileSync(join(this.#folder, 'fault.mjs'), FAULT);
    const file = join(this.#folder, 'start');
    const node = `'${process.execPath}' --import ${this.#folder}/fault.mjs '${CLI}'`;
    const words = args.map((arg) => `'${arg}'`).join(' ');
    const variables = `AUTO_TERMINAL_HOME='${home}' ${env}`;
    writeFileSync(file, `echo $$ >${this.#folder}/pid; exec env ${variables} ${node} ${words}\n`);
    this.type(`${prefix} sh ${file}; echo "code $?"\r`);
  }

  /** Id of the process that was started last. */
  get pid(): number {
    return Number(readFileSync(join(this.#folder, 'pid'), 'utf8'));
  }

  resize({ cols, rows }: { cols: number; rows: number }): void {
    this.#tmux('resize-window', '-t', 'outer', '-x', `${cols}`, '-y', `${rows}`);
  }

  /** Resolves once the screen contains the text. */
  async shows(text: string | RegExp): Promise<void> {
    const isShown = () => {
      const screen = this.rows.join('\n');
      return typeof text === 'string' ? screen.includes(text) : text.test(screen);
    };
    await eventually(`the outer terminal shows ${text}`, isShown).catch((cause: unknown) => {
      throw new Error(`The outer terminal shows:\n${this.rows.join('\n')}`, { cause });
    });
  }

  /** Closes the window, as a person does: its programs get SIGHUP, and their terminal is gone. */
  closeWindow(): void {
    this.#tmux('new-window', '-d', 'exec sleep 1000');
    this.#tmux('kill-window', '-t', 'outer:0');
  }

  dispose(): void {
    this.#tmux('kill-server');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #tmux(...args: string[]): string {
    const env = { PATH: process.env.PATH ?? '', HOME: this.#folder, LANG: 'C.UTF-8', TERM: 'xterm-256color' };
    const tmux = ['-u', '-S', join(this.#folder, 'socket'), '-f', join(this.#folder, 'conf')];
    return execFileSync('tmux', [...tmux, ...args], { env, encoding: 'utf8' });
  }
}
