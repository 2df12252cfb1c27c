import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { TMUX_CLIENT_GRACE_MS } from '../../../contract/limits.js';
import { type Answer, ControlAnswers } from './control-answers.js';
import { ControlStreamError } from './control-error.js';
import { type ControlEvents, ControlLines } from './control-lines.js';

export interface ControlClientSpec {
  /** Path of tmux. */
  file: string;
  /** `-C` and a command that attaches the client among them. */
  args: readonly string[];
  /** All of its environment, and of the server's where it starts one. */
  env: Readonly<Record<string, string>>;
  log(message: string): void;
}

export interface ControlClientEvents extends Pick<ControlEvents, 'output' | 'notice'> {
  /** Called once, when the server or the client has ended and all open commands have got a fault; nothing follows it. */
  closed(reason: string): void;
}

/** A tmux client in control mode, on pipes. */
export class ControlClient {
  readonly #log: (message: string) => void;
  readonly #events: ControlClientEvents;
  readonly #child: ChildProcess;
  readonly #answers = new ControlAnswers();
  readonly #lines: ControlLines;
  /** Of what it has written besides answers: why it does not start, or ends. */
  #lastWords = '';
  #openStreams = 2;
  #grace: NodeJS.Timeout | undefined;
  #isClosing = false;
  #isEnded = false;

  /** Starts the client. What the system refuses at once is thrown; a missing program comes as `closed`. */
  constructor({ file, args, env, log }: ControlClientSpec, events: ControlClientEvents) {
    this.#log = log;
    this.#events = events;
    this.#lines = this.#reader();
    this.#child = spawn(file, args, { env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#watch();
  }

  /** Of the client; undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /**
   * Runs the commands in order, with nothing of any pane between them, until one fails; a command that cannot be read
   * keeps all of them from running. `done` is called once, at the very place of the stream where the last answer
   * stands, or the failure; with a fault at the deadline; or, when the client has ended, on the next turn.
   *
   * Each is one command: neither two by `;` nor one that runs others (`if-shell`, `source-file`), which tmux answers
   * more than once. Throws for what holds no command or more than a line.
   */
  run(commands: readonly string[], done: (answer: Answer) => void): void {
    const line = commandLine(commands);
    if (this.#isClosing || this.#isEnded) {
      setImmediate(done, { fault: 'the tmux client has ended' });
      return;
    }
    this.#answers.expect(commands.length, done);
    this.#child.stdin?.write(line);
  }

  /** The same as a promise, which is not bound to a place in the stream. Rejects with an Error of the fault's words. */
  ask(commands: readonly string[]): Promise<string[][]> {
    return new Promise((resolve, reject) => {
      this.run(commands, (answer) => {
        if ('fault' in answer) reject(new Error(answer.fault));
        else resolve(answer.lines);
      });
    });
  }

  /** Reads nothing until {@link resume}: the server keeps all that comes meanwhile, answers and all, without a bound. */
  pause(): void {
    this.#child.stdout?.pause();
  }

  resume(): void {
    this.#child.stdout?.resume();
  }

  /** Ends the client, and kills it if it does not; what it still has to say is passed on until `closed`. */
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
        this.#end('tmux answers more than it was asked');
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
    // What it has written may not have been read, and the server may hold its pipes: their end decides, for a while.
    this.#child.on('exit', (code, signal) =>
      this.#expectEnd(`the client has ended by ${signal ?? `code ${code}`}`),
    );
    // That it does not read any more is told by the end of its output.
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
    // Why it has ended may stand in the other.
    if (this.#openStreams > 0) this.#expectEnd(reason);
    else this.#end(reason);
  }

  /** It ends by itself now, or is ended. */
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

/** What tmux is written; one line, since a line is what is run together. */
function commandLine(commands: readonly string[]): string {
  for (const command of commands) {
    // A line without a command would detach the client; a line feed would begin another.
    if (command.trim() === '') throw new Error('no command for tmux');
    if (/[\n\0]/.test(command)) throw new Error('a command for tmux is one line, without a NUL');
  }
  if (commands.length === 0) throw new Error('no command for tmux');
  return `${commands.join(' ; ')}\n`;
}
