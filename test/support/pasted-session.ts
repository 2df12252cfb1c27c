import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CLI } from './cli.js';
import { OuterTmux } from './outer-tmux.js';
import { eventually } from './processes.js';

/** A line of a script starts up to ten processes of Node, each of which takes seconds on a busy machine. */
const LINE_DEADLINE_MS = 120_000;

/** The result of a line. */
export interface PastedLine {
  exitCode: number;
  /** Text that the terminal shows between the line and the next prompt. */
  printed: string;
}

/** Returns the lines of the `sh` blocks of a section of a page, without their comments. */
export function linesOf(page: string, section: string): string[] {
  const [, text = ''] = new RegExp(`^## ${section}\\n(.*?)(?=^## |$(?![^]))`, 'ms').exec(page) ?? [];
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block!.trimEnd());
  return blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/ {2,}#.*$/, ''));
}

/** A person's bash in a terminal, with an empty home and `auto-terminal` on PATH; each line is pasted. */
export class PastedSession {
  readonly #home: string;
  readonly #outer = new OuterTmux({ cols: 160, rows: 50 });
  /** The number of the command that is typed next, as bash counts. */
  #number = 1;

  private constructor(home: string) {
    this.#home = home;
  }

  static async start(): Promise<PastedSession> {
    const session = new PastedSession(await mkdtemp(join(tmpdir(), 'at-home-')));
    const bin = join(session.#home, 'bin');
    mkdirSync(bin);
    symlinkSync(CLI, join(bin, 'auto-terminal'));
    const path = [bin, dirname(process.execPath), process.env.PATH].join(':');
    // Ports of its own, since another service may run here. Everything else is as on a new machine.
    const env = `HOME='${session.#home}' PATH='${path}' TMPDIR='${tmpdir()}' TERM=xterm-256color LANG=C.UTF-8 SHELL=/bin/bash`;
    session.#outer.type(
      `exec env -i ${env} AUTO_TERMINAL_PORT=0 MCP_PORT=0 AUTO_TERMINAL_DASHBOARD_PORT=0 bash --norc\r`,
    );
    await session.#outer.shows(/bash-\S+[$#]/);
    // Not exported, so that no shell in a terminal has the same prompt.
    session.#outer.type(` cd; PS1='<\\#:$?> '\r`);
    session.#number = 2;
    await session.#prompt();
    return session;
  }

  /** Pastes a line, and resolves once the shell asks for the next. */
  async paste(line: string): Promise<PastedLine> {
    await this.begin(line);
    return this.end();
  }

  /** Pastes a line whose program expects more input. */
  async begin(line: string): Promise<void> {
    this.#outer.type(`${line}\r`);
    this.#number++;
  }

  /** Types the keys as a keyboard would send them. */
  type(keys: string): void {
    this.#outer.type(keys);
  }

  async shows(text: string | RegExp): Promise<void> {
    await this.#outer.shows(text);
  }

  /** Resolves once the line that was pasted last has ended. */
  async end(): Promise<PastedLine> {
    await this.#prompt();
    const [, printed = '', code] =
      new RegExp(`<${this.#number - 1}:\\d+> [^\\n]*\\n(.*)<${this.#number}:(\\d+)>`, 's').exec(
        this.#outer.history,
      ) ?? [];
    return { exitCode: Number(code), printed };
  }

  /** Stops the service that the session has started, and removes the home. */
  async dispose(): Promise<void> {
    this.#outer.dispose();
    const facts = join(this.#home, '.local/share/auto-terminal/run/service.json');
    if (existsSync(facts)) {
      process.kill((JSON.parse(readFileSync(facts, 'utf8')) as { pid: number }).pid, 'SIGTERM');
      await eventually('the service has stopped', () => !existsSync(facts));
    }
    await eventually('nothing writes there any more', () =>
      rm(this.#home, { recursive: true }).then(
        () => true,
        () => false,
      ),
    );
  }

  async #prompt(): Promise<void> {
    const isThere = () => this.#outer.history.includes(`<${this.#number}:`);
    await eventually(`prompt ${this.#number}`, isThere, LINE_DEADLINE_MS).catch((cause: unknown) => {
      throw new Error(`The terminal shows:\n${this.#outer.history}`, { cause });
    });
  }
}
