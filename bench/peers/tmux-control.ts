import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { within } from '../../test/support/service.js';
import type { TmuxServer } from './tmux-server.js';

/** Time limit for the answers to many commands at once. */
const ANSWER_DEADLINE_MS = 120_000;

/** A client of a tmux server in control mode: it sends commands, and gets their answers and the output of all panes. */
export class TmuxControl {
  readonly #process: ChildProcess;
  /** Callbacks for the answers to pending commands, oldest first. */
  readonly #waiting: { resolve: (answer: string[]) => void; reject: (error: Error) => void }[] = [];
  #onOutput: (pane: string, content: string) => void = () => {};
  #block: string[] | undefined;
  #rest = '';

  private constructor(server: TmuxServer) {
    const args = [...server.args, '-C', 'attach-session'];
    this.#process = spawn('tmux', args, { env: server.env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#process.stdout!.setEncoding('latin1').on('data', (text: string) => this.#take(text));
    this.#process.on('exit', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('the tmux client ended'));
    });
  }

  /** Attaches a client. Resolves once the server has answered the attach itself. */
  static async attach(server: TmuxServer): Promise<TmuxControl> {
    const control = new TmuxControl(server);
    await control.#answers(1).catch(async (error: unknown) => {
      await control.detach();
      throw error;
    });
    return control;
  }

  /** Listener for each `%output`, in tmux's escaping: control characters and backslashes in octal. */
  set onOutput(listener: (pane: string, content: string) => void) {
    this.#onOutput = listener;
  }

  /** Sends the commands in one write. Resolves with the lines of each answer. */
  run(commands: readonly string[]): Promise<string[][]> {
    const answers = this.#answers(commands.length);
    this.#process.stdin!.write(`${commands.join('\n')}\n`);
    return answers;
  }

  async detach(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    this.#process.kill('SIGKILL');
    await once(this.#process, 'exit');
  }

  #answers(count: number): Promise<string[][]> {
    const answers = Array.from(
      { length: count },
      () => new Promise<string[]>((resolve, reject) => this.#waiting.push({ resolve, reject })),
    );
    return within(ANSWER_DEADLINE_MS, Promise.all(answers), () => 'tmux did not answer');
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line.startsWith('%output ')) {
      const space = line.indexOf(' ', 8);
      this.#onOutput(line.slice(8, space), line.slice(space + 1));
    } else if (line.startsWith('%begin ')) {
      this.#block = [];
    } else if (line.startsWith('%end ')) {
      this.#waiting.shift()?.resolve(this.#block ?? []);
      this.#block = undefined;
    } else if (line.startsWith('%error ')) {
      this.#waiting.shift()?.reject(new Error(`tmux: ${this.#block?.join(' ')}`));
      this.#block = undefined;
    } else {
      this.#block?.push(line);
    }
  }
}
