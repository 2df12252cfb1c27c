import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { integrate } from '#dist/actors/shell-integration/integrate.js';
import { Collector, type Rig } from '../engine/pty-host-rig.js';
import { AnsweringCollector } from './answering-collector.js';
import { readMarks, type SeenMark } from './mark-reader.js';
import { eventually, processInfo } from './processes.js';

const FOLDER = fileURLToPath(new URL('../../src/shell-integration', import.meta.url));
const NONCE = '0123456789abcdef0123456789abcdef';

export interface ShellOptions {
  args?: string[];
  env?: Record<string, string>;
  /** Files in the user's home folder. */
  files?: Record<string, string>;
  cols?: number;
  /** As if the system's zshenv were so. */
  isZdotdirForced?: boolean;
  /** For one that asks its terminal, and waits for the answers. */
  answers?: boolean;
}

/** What one line typed at a prompt brought, up to the next prompt. */
export interface Ran {
  /** The commands of it, in the order in which they ended. */
  commands: { line: string | null; status: string | null; output: string }[];
  /** Letters of the marks, in their order; D has its status. */
  order: string;
  cwd: string;
  /** All that was printed, marks cut out. */
  text: string;
}

/** An integrated shell on a real PTY, with a home of its own. */
export class ShellSession {
  readonly pid: number;
  readonly home: string;
  readonly #rig: Rig;
  readonly #handle: number;
  readonly #sink: Collector;
  /** Bytes up to the last prompt that was waited for, and commands that had ended by then. */
  #seen = 0;
  #told = 0;

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

  /** Starts it and waits for its first prompt. */
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

  /** Pastes lines as one, and Enter. */
  paste(lines: string): Promise<Ran> {
    return this.run(`\x1b[200~${lines.replaceAll('\n', '\r')}\x1b[201~`);
  }

  /** Waits for the next prompt. One that is drawn again is none. */
  async prompt(): Promise<Ran> {
    await this.until('a prompt', (marks) => endOfPrompt(marks) !== undefined);
    return this.#take(endOfPrompt(this.#marks())!);
  }

  /** Waits until the marks since the last prompt are so, and what was printed with them. */
  until(what: string, isSo: (marks: SeenMark[], text: string) => boolean): Promise<void> {
    return this.#sink.until(what, () => isSo(this.#marks(), this.#bytes().toString()));
  }

  /** Waits until the shell waits, too: each of them loses a Ctrl+C that comes while it draws. */
  async asleep(): Promise<void> {
    await eventually('the shell is asleep', () => processInfo(this.pid)?.state === 'S');
  }

  /** Waits for the end of the program. */
  async end(): Promise<{ exit: { exitCode: number | null }; ran: Ran }> {
    const exit = await this.#sink.end();
    return { exit, ran: this.#take(this.#sink.position) };
  }

  /** Ends it, and deletes its home, into which shells that die may still write their history. */
  async close(): Promise<void> {
    await this.#rig.host.kill(this.#handle);
    await rm(this.home, { recursive: true, maxRetries: 10 });
  }

  #bytes(): Buffer {
    return Buffer.concat(this.#sink.chunks).subarray(this.#seen);
  }

  /** Since the last prompt. */
  #marks(): SeenMark[] {
    const all = readMarks(Buffer.concat(this.#sink.chunks), NONCE);
    return all.filter(({ begin }) => begin >= this.#seen);
  }

  #take(end: number): Ran {
    const all = Buffer.concat(this.#sink.chunks).subarray(0, end);
    const marks = this.#marks().filter((mark) => mark.end <= end);
    const commands = commandsOf(all).slice(this.#told);
    const text = withoutMarks(all.subarray(this.#seen)).toString();
    this.#seen = end;
    this.#told += commands.length;
    return {
      commands,
      order: marks.map(({ letter, value }) => (letter === 'D' ? `D${value}` : letter)).join(' '),
      cwd: marks.findLast(({ letter }) => letter === 'P')?.value ?? '',
      text,
    };
  }
}

/** Where the prompt that has begun ends. */
function endOfPrompt(marks: SeenMark[]): number | undefined {
  const begin = marks.findIndex(({ letter }) => letter === 'A');
  return begin < 0 ? undefined : marks.slice(begin).find(({ letter }) => letter === 'B')?.end;
}

function baseEnvironment(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' };
}

/** Puts the commands together that have ended, as the tracker does. */
function commandsOf(bytes: Buffer): Ran['commands'] {
  const commands: Ran['commands'] = [];
  const open: { pid: number; line: string | null; from: number }[] = [];
  let line: string | null = null;
  /** What a shell ran is over, and what shells within it ran. */
  const finish = (pid: number, status: string | null, at: number) => {
    while (open.some((command) => command.pid === pid)) {
      const command = open.pop()!;
      const output = withoutMarks(bytes.subarray(command.from, at)).toString();
      commands.push({ line: command.line, status: command.pid === pid ? status : null, output });
    }
  };
  for (const { letter, value, pid, begin, end } of readMarks(bytes, NONCE)) {
    if (letter === 'D') finish(pid, value, begin);
    if (letter === 'A') finish(pid, null, begin);
    if (letter === 'E') line = value;
    if (letter === 'C') {
      finish(pid, null, begin);
      open.push({ pid, line, from: end });
      line = null;
    }
  }
  return commands;
}

function withoutMarks(bytes: Buffer): Buffer {
  const kept: Buffer[] = [];
  let from = 0;
  for (const { begin, end } of readMarks(bytes, NONCE)) {
    kept.push(bytes.subarray(from, begin));
    from = end;
  }
  return Buffer.concat([...kept, bytes.subarray(from)]);
}
