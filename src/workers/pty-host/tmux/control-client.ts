import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { TMUX_CLIENT_GRACE_MS } from '../../../contract/limits.js';
import { type Answer, ControlAnswers } from './control-answers.js';
import { ControlStreamError } from './control-error.js';
import { type ControlEvents, ControlLines } from './control-lines.js';

export interface ControlClientSpec {
  /** Path of tmux. */
  file: string;
  /** Arguments, among them `-C` and a command that attaches the client. */
  args: readonly string[];
  /** The whole environment of the client, and of the server if the client starts one. */
  env: Readonly<Record<string, string>>;
  log(message: string): void;
}

export interface ControlClientEvents extends Pick<ControlEvents, 'output' | 'notice'> {
  /** Called once, when the server or the client has ended and all open commands have got a fault; no event follows. */
  closed(reason: string): void;
}

/** A tmux client in control mode, on pipes. */
export class ControlClient {
  readonly #log: (message: string) => void;
  readonly #events: ControlClientEvents;
  readonly #child: ChildProcess;
  readonly #answers = new ControlAnswers();
  readonly #lines: ControlLines;
  /** Last message of the client besides answers: the reason why it does not start, or ends. */
  #lastWords = '';
  #openStreams = 2;
  #grace: NodeJS.Timeout | undefined;
  #isClosing = false;
  #isEnded = false;

  /** Starts the client. Throws what the system refuses at once; a missing program is reported by `closed`. */
  constructor({ file, args, env, log }: ControlClientSpec, events: ControlClientEvents) {
    this.#log = log;
    this.#events = events;
    this.#lines = this.#reader();
    this.#child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#watch();
  }

  /** Pid of the client; undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Runs the commands in order, with nothing of any pane between them, until one fails; a command that cannot be parsed
   * keeps all of them from running. `done` is called once: exactly at the place in the stream of the last answer or the
   * failure; with a fault at the deadline; or, when the client has ended, on the next turn. `late` is called after a fault
   * at the deadline: with the answer that comes after all, or with a fault when the client ends.
   *
   * Each must be a single command: neither two joined by `;` nor a command that runs others (`if-shell`,
   * `source-file`), which tmux answers more than once. Throws for no command, an empty command, and a command with a
   * line feed or NUL.
   */
  run(commands: readonly string[], done: (answer: Answer) => void, late?: (answer: Answer) => void): void {
    const line = commandLine(commands);
    if (this.#isClosing || this.#isEnded) {
      setImmediate(done, { fault: 'the tmux client has ended' });
      return;
    }
    this.#answers.expect(commands.length, done, late);
    this.#child.stdin?.write(line);
  }

  /**
   * Runs commands as `run` does, and returns a promise, which is not bound to a place in the stream. Rejects with an
   * Error whose message is the fault.
   */
  ask(commands: readonly string[]): Promise<string[][]> {
    return new Promise((resolve, reject) => {
      this.run(commands, (answer) => {
        if ('fault' in answer) reject(new Error(answer.fault));
        else resolve(answer.lines);
      });
    });
  }

  /** Reads nothing until {@link resume}. Meanwhile the server buffers output and answers without a bound. */
  pause(): void {
    this.#child.stdout?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
  }

  /** Ends the client, and kills it if it does not end; its further output is passed on until `closed`. */
  close(): void {
    if (this.#isClosing || this.#isEnded) return;
    this.#isClosing = true;
    this.#child.stdin?.end();
    this.#expectEnd('the client was closed');
  }

  #reader(): ControlLines {
    return new ControlLines({
      output: (pane, bytes) => {
        if (!this.#isEnded) this.#events.output(pane, bytes);
      },
      notice: (line) => this.#notice(line),
      block: (ok, lines) => {
        if (this.#isEnded || this.#answers.block(ok, lines)) return;
        // From here on every answer would be taken for another command's.
        this.#end('tmux sent an answer to no command');
      },
      refused: (lines) => this.#words(lines.join('\n')),
    });
  }

  #watch(): void {
    const { stdin, stdout, stderr } = this.#child;
    this.#child.on('error', ({ message }) => {
      if (this.pid === undefined) this.#end(message);
      else this.#log(`tmux client: ${message}`);
    });
    // The client's output may still be unread, so wait for the end of its pipes; not for long, since the server may
    // hold them open.
    this.#child.on('exit', (code, signal) =>
      this.#expectEnd(`the client has ended with ${signal ?? `code ${code}`}`),
    );
    // If the client does not read any more, the end of its output reports that.
    stdin?.on('error', () => undefined);
    stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    stdout?.on('error', ({ message }) => this.#words(message));
    stdout?.on('close', () => this.#streamClosed());
    if (stderr) createInterface({ input: stderr }).on('line', (line) => this.#words(line));
    stderr?.on('error', ({ message }) => this.#words(message));
    stderr?.on('close', () => this.#streamClosed());
  }

  #read(chunk: Buffer): void {
    try {
      this.#lines.push(chunk);
    } catch (error) {
      if (!(error instanceof ControlStreamError)) throw error;
      this.#end(error.message);
    }
  }

  #notice(line: string): void {
    if (this.#isEnded) return;
    const exit = /^%exit(?: (.*))?$/.exec(line);
    if (exit) this.#end(exit[1] || this.#lastWords || 'the client was detached');
    else this.#events.notice(line);
  }

  #words(words: string): void {
    this.#lastWords = words;
    this.#log(`tmux client: ${words}`);
  }

  #streamClosed(): void {
    this.#openStreams -= 1;
    const reason = this.#lastWords || 'the client has ended';
    // The other stream may still report why the client has ended.
    if (this.#openStreams > 0) this.#expectEnd(reason);
    else this.#end(reason);
  }

  /** Ends the client after a while, unless it ends by itself before. */
  #expectEnd(reason: string): void {
    if (!this.#isEnded) this.#grace ??= setTimeout(() => this.#end(reason), TMUX_CLIENT_GRACE_MS);
  }

  #end(reason: string): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#grace);
    this.#child.stdin?.destroy();
    this.#child.stdout?.destroy();
    this.#child.kill('SIGKILL');
    this.#answers.end(`tmux has ended: ${reason}`);
    this.#events.closed(reason);
  }
}

/** Joins commands into one line, since tmux runs the commands of a line together. */
function commandLine(commands: readonly string[]): string {
  for (const command of commands) {
    // A line without a command would detach the client; a line feed would start another line.
    if (command.trim() === '') throw new Error('a command for tmux is missing');
    if (/[\n\0]/.test(command)) throw new Error('a command for tmux must be one line without a NUL');
  }
  if (commands.length === 0) throw new Error('a command for tmux is missing');
  return `${commands.join(' ; ')}\n`;
}
