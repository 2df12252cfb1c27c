import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { integrate } from '#dist/actors/shell-integration/integrate.js';
import { Collector, type Rig } from '../engine/pty-host-rig.js';
import { AnsweringCollector } from './answering-collector.js';
import { readMarks, type SeenMark } from './mark-reader.js';
import { eventually, processInfo } from './processes.js';
import { commandsOf, type EndedCommand, withoutMarks } from './shell-output.js';

const FOLDER = fileURLToPath(new URL('../../src/shell-integration', import.meta.url));
/** Keys of the service: run the staged command, ask whether the shell listens, put the draft back. */
export const KEYS = { run: '\x1b[9008~', probe: '\x1b[9007~', back: '\x1b[9006~' } as const;
const NONCE = '0123456789abcdef0123456789abcdef';

export interface ShellOptions {
  args?: string[];
  env?: Record<string, string>;
  /** Files in the user's home folder. */
  files?: Record<string, string>;
  cols?: number;
  /** Whether to act as if the system's zshenv set ZDOTDIR. */
  isZdotdirForced?: boolean;
  /** Whether to answer the shell's queries of its terminal: for a shell that waits for the answers. */
  answers?: boolean;
}

/** Results of one line typed at a prompt, up to the next prompt. */
export interface Ran {
  /** Commands of the line, in the order in which they ended. */
  commands: EndedCommand[];
  /** Letters of the marks, in order; D is followed by its status. */
  order: string;
  cwd: string;
  /** All output, without the marks. */
  text: string;
  /** Contents of the marks of keys and of PS2, each after its letter. */
  told: string[];
}

/** An integrated shell on a real PTY, with a home of its own. */
export class ShellSession {
  readonly pid: number;
  readonly home: string;
  readonly #rig: Rig;
  readonly #handle: number;
  readonly #sink: Collector;
  /** Number of bytes up to the last awaited prompt; `#told` counts the commands that had ended by then. */
  #seen = 0;
  #told = 0;
  #tokens = 0;

  private constructor(
    rig: Rig,
    home: string,
    { pid, handle }: { pid: number; handle: number },
    answering: { cols: number; rows: number } | undefined,
  ) {
    this.#rig = rig;
    this.#handle = handle;
    this.pid = pid;
    this.home = home;
    const answer = (data: string) => rig.host.input(handle, Buffer.from(data));
    this.#sink = answering ? new AnsweringCollector(answering, answer) : new Collector();
    this.#sink.attach(rig.host, handle);
  }

  /** Starts the shell and waits for its first prompt. */
  static async start(rig: Rig, file: string, options: ShellOptions = {}): Promise<ShellSession> {
    const home = await mkdtemp(join(tmpdir(), 'shell-'));
    for (const [name, text] of Object.entries(options.files ?? {})) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), text);
    }
    const start = integrate(
      { file, args: options.args ?? [], env: { ...baseEnvironment(), HOME: home, ...options.env } },
      {
        nonce: NONCE,
        lines: linesOf(home),
        folder: FOLDER,
        platform: process.platform,
        isZdotdirForced: () => options.isZdotdirForced ?? false,
      },
    );
    if (start.shell === null) throw new Error(`${file} is not integrated`);
    const { args, env } = start;
    const size = { cols: options.cols ?? 80, rows: 24 };
    const id = `term_${home.slice(-6)}`;
    const place = { cwd: home, ...rig.place };
    const spawned = await rig.host.spawn({ id, file, args, env, ...place, ...size, meta: '' });
    const session = new ShellSession(rig, home, spawned, options.answers ? size : undefined);
    await session.prompt();
    return session;
  }

  type(text: string): void {
    void this.#rig.host.type(this.#handle, [{ data: text }]);
  }

  /** Types a line and Enter, and waits for the next prompt. */
  run(line: string): Promise<Ran> {
    this.type(`${line}\r`);
    return this.prompt();
  }

  /** Pastes lines as one text, then types Enter. */
  paste(lines: string): Promise<Ran> {
    return this.run(`\x1b[200~${lines.replaceAll('\n', '\r')}\x1b[201~`);
  }

  /**
   * Writes a command where the shell finds it when the key RUN is typed; resolves with the token that claims the
   * command.
   */
  async stage(command: string | Buffer): Promise<string> {
    this.#tokens += 1;
    const token = `run-${this.#tokens}_x`;
    await mkdir(linesOf(this.home), { recursive: true, mode: 0o700 });
    await writeFile(
      join(linesOf(this.home), 'line'),
      Buffer.concat([Buffer.from(`${token}\n`), Buffer.from(command)]),
    );
    return token;
  }

  /** Replaces the staged command and its token by other text. */
  async overwrite(line: string): Promise<void> {
    await writeFile(join(linesOf(this.home), 'line'), line);
  }

  /** Whether the keys work, as the last prompt reports. */
  get isReady(): boolean {
    return this.#lastOf('A')?.isReady ?? false;
  }

  /** Pid of the shell that printed the last mark of this letter. */
  lastPid(letter: string): number | undefined {
    return this.#lastOf(letter)?.pid;
  }

  /** Resolves with the tokens of the commands that have been claimed. */
  async claimed(): Promise<string[]> {
    return (await readdir(linesOf(this.home))).filter((name) => name !== 'line').sort();
  }

  /** Makes the shell run a command by its key, whatever its line contains, and waits for the next prompt. */
  async runByKey(command: string | Buffer): Promise<Ran & { token: string }> {
    const token = await this.stage(command);
    this.type(KEYS.run);
    return { ...(await this.prompt()), token };
  }

  /** Types a key that prints a mark, and waits for that mark. */
  async key(letter: 'L' | 'Q'): Promise<void> {
    const before = this.#marks().filter((mark) => mark.letter === letter).length;
    this.type(letter === 'L' ? KEYS.probe : KEYS.back);
    await this.until(
      `mark ${letter}`,
      (marks) => marks.filter((mark) => mark.letter === letter).length > before,
    );
  }

  /** Waits for the next prompt. A redrawn prompt does not count. */
  async prompt(): Promise<Ran> {
    await this.until('a prompt', (marks) => endOfPrompt(marks) !== undefined);
    return this.#take(endOfPrompt(this.#marks())!);
  }

  /** Waits until the marks since the last prompt, and the output with them, pass the test. */
  until(what: string, isSo: (marks: SeenMark[], text: string) => boolean): Promise<void> {
    return this.#sink.until(what, () => isSo(this.#marks(), this.#bytes().toString()));
  }

  /** Waits until the shell sleeps: each shell loses a Ctrl+C that arrives while it draws. */
  async asleep(): Promise<void> {
    await eventually('the shell is asleep', () => processInfo(this.pid)?.state === 'S');
  }

  /** Waits for the end of the program. */
  async end(): Promise<{ exit: { exitCode: number | null }; ran: Ran }> {
    const exit = await this.#sink.end();
    return { exit, ran: this.#take(this.#sink.position) };
  }

  /** Ends the shell and deletes its home, into which dying shells may still write their history. */
  async close(): Promise<void> {
    await this.#rig.host.kill(this.#handle);
    await rm(this.home, { recursive: true, maxRetries: 10 });
    await rm(linesOf(this.home), { recursive: true, force: true });
  }

  #bytes(): Buffer {
    return Buffer.concat(this.#sink.chunks).subarray(this.#seen);
  }

  #lastOf(letter: string): SeenMark | undefined {
    return readMarks(Buffer.concat(this.#sink.chunks), NONCE).findLast((mark) => mark.letter === letter);
  }

  /** Marks since the last prompt. */
  #marks(): SeenMark[] {
    const all = readMarks(Buffer.concat(this.#sink.chunks), NONCE);
    return all.filter(({ begin }) => begin >= this.#seen);
  }

  #take(end: number): Ran {
    const all = Buffer.concat(this.#sink.chunks).subarray(0, end);
    const marks = this.#marks().filter((mark) => mark.end <= end);
    const commands = commandsOf(all, NONCE).slice(this.#told);
    const text = withoutMarks(all.subarray(this.#seen), NONCE).toString();
    this.#seen = end;
    this.#told += commands.length;
    return {
      commands,
      order: marks
        .filter(({ letter }) => !'RLQSI'.includes(letter))
        .map(({ letter, value }) => (letter === 'D' ? `D${value}` : letter))
        .join(' '),
      told: marks
        .filter(({ letter }) => 'RLQSI'.includes(letter))
        .map(({ letter, value }) => `${letter};${value}`),
      cwd: marks.findLast(({ letter }) => letter === 'P')?.value ?? '',
      text,
    };
  }
}

/** Returns the position where the prompt ends that has begun; undefined while it has not ended. */
function endOfPrompt(marks: SeenMark[]): number | undefined {
  const begin = marks.findIndex(({ letter }) => letter === 'A');
  return begin < 0 ? undefined : marks.slice(begin).find(({ letter }) => letter === 'B')?.end;
}

function linesOf(home: string): string {
  return `${home}-lines`;
}

function baseEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
}
