import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { WriteStream } from 'node:tty';
import { AutoTerminal } from '../client/index.js';
import { usageError } from './exit-codes.js';
import { safeLines } from './one-line.js';

/** Options that every verb takes. */
export interface CommonOptions {
  url?: string;
  socket?: string;
  tokenFile?: string;
  /** Machine of the fleet, by id or name; only verbs of terminals take it. */
  machine?: string;
}

type Out = NodeJS.WritableStream & Partial<Pick<WriteStream, 'isTTY' | 'columns' | 'rows'>>;

/** Surroundings of a verb: its streams, its environment, and the service. */
export class Context {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout: Out;
  readonly stderr: Out;
  readonly env: NodeJS.ProcessEnv;
  /** Fires when the user interrupts the command. */
  readonly signal: AbortSignal;
  /** Code with which the process ends if nothing fails. */
  exitCode = 0;
  /**
   * Set by verbs whose exit code is their answer, such as that of a program: what becomes of that program if the output can
   * no longer be written, which ends the command.
   */
  leave: (() => Promise<void> | void) | undefined;
  #client: AutoTerminal | undefined;

  constructor({
    stdin,
    stdout,
    stderr,
    env,
    signal,
  }: Pick<Context, 'stdin' | 'stdout' | 'stderr' | 'env' | 'signal'>) {
    this.stdin = stdin;
    this.stdout = stdout;
    this.stderr = stderr;
    this.env = env;
    this.signal = signal;
  }

  /** Returns the client of the service that the options name; without them, of the service of this user. */
  client({ url, socket, tokenFile, machine }: CommonOptions): AutoTerminal {
    checkOrigin(url ?? urlIn(this.env));
    const token = tokenFile === undefined ? undefined : tokenIn(tokenFile);
    checkToken(token ?? this.env.AUTO_TERMINAL_TOKEN, tokenFile ?? 'AUTO_TERMINAL_TOKEN');
    this.#client ??= AutoTerminal.connect({ url, socketPath: socket, env: this.env, machine, token });
    return this.#client;
  }

  /** Writes data; resolves once the reader has room for more. */
  async write(data: string | Uint8Array): Promise<void> {
    if (this.stdout.write(data)) return;
    await new Promise<void>((resolve) => this.stdout.once('drain', resolve));
  }

  /** Writes a line for people, which no program reads. Names in it, which any program may choose, cannot move the cursor. */
  say(line: string): void {
    this.stderr.write(`${safeLines(line)}\n`);
  }

  get isTty(): boolean {
    return this.stdout.isTTY === true;
  }

  close(): void {
    this.#client?.close();
  }
}

/** Returns the URL that the environment names; an empty variable counts as unset, as it does for the client. */
export function urlIn(env: NodeJS.ProcessEnv): string | undefined {
  return env.AUTO_TERMINAL_API_URL || undefined;
}

function tokenIn(file: string): string {
  const fix = 'Give a file that you can read, with the token in it';
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch {
    throw usageError(`The token file ${file} cannot be read`, fix);
  }
  // Without a token, the socket would let the verb do everything.
  if (token === '') throw usageError(`The token file ${file} is empty`, fix);
  return token;
}

/** Throws if no header can hold a token, such as the text of a wrong file. */
function checkToken(token: string | undefined, source: string): void {
  if (token === undefined || !/[^\t\x20-\x7e\x80-\xff]/.test(token)) return;
  throw usageError(
    `The token in ${source} has a character that no token has`,
    'Give the token alone, as it was printed',
  );
}

/** Throws unless a text, if there is any, is the origin of an API. */
function checkOrigin(url: string | undefined): void {
  if (url === undefined || (/^https?:\/\//i.test(url) && URL.canParse(url))) return;
  const fix = 'Give an origin such as http://127.0.0.1:42031, by --url or AUTO_TERMINAL_API_URL';
  throw usageError(`${JSON.stringify(url)} is no URL of a service`, fix);
}
