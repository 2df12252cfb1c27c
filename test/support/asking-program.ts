import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Caller } from '#dist/contract/caller.js';
import type { Api } from './http.js';
import { eventually } from './processes.js';
import type { Service } from './service.js';

/**
 * Asks `GET /api/caller` over the unix socket, and renames the complete answer to the file that the test reads. With a
 * third argument, the number of its parent process, it first waits until that parent has ended.
 */
const ASKER = `
  import { renameSync, writeFileSync } from 'node:fs';
  import { request } from 'node:http';
  import { text } from 'node:stream/consumers';
  const [socketPath, answerFile, parent] = process.argv.slice(2);
  while (process.ppid === Number(parent)) await new Promise((resolve) => setTimeout(resolve, 5));
  const headers = process.env.CLAIM ? { 'x-service-terminal-id': process.env.CLAIM } : {};
  request({ socketPath, path: '/api/caller', headers, agent: false }, async (answer) => {
    writeFileSync(answerFile + '.part', await text(answer));
    renameSync(answerFile + '.part', answerFile);
  }).end();
`;

/**
 * Connects to the service, and leaves the connection to a child with a session of its own, which asks once the process
 * with the given number has ended: by default, the program itself. With `met` the program connects at once and makes a
 * request, so that the service has met it; otherwise it connects once the file of that name exists, and makes no
 * request.
 */
const LEAVER = `
  import { spawn } from 'node:child_process';
  import { once } from 'node:events';
  import { existsSync } from 'node:fs';
  import { connect } from 'node:net';
  const [socketPath, answerFile, when, ending = String(process.pid)] = process.argv.slice(2);
  while (when !== 'met' && !existsSync(when)) await new Promise((resolve) => setTimeout(resolve, 5));
  const socket = connect(socketPath);
  await once(socket, 'connect');
  if (when === 'met') {
    socket.write('GET /health HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n');
    await once(socket, 'data');
    socket.pause();
  }
  const asks = 'while kill -0 $ENDING 2>/dev/null; do sleep 0.01; done; ' +
    'printf "GET /api/caller HTTP/1.1\\\\r\\\\nHost: localhost\\\\r\\\\nConnection: close\\\\r\\\\n\\\\r\\\\n" >&0; ' +
    'cat >"$ANSWER.part"; mv "$ANSWER.part" "$ANSWER"';
  const env = { ...process.env, ENDING: ending, ANSWER: answerFile };
  spawn('sh', ['-c', asks], { env, detached: true, stdio: [socket, 'ignore', 'ignore'] }).unref();
  process.exit();
`;

/** The path of the service's unix socket. */
export const socketOf = ({ home }: Pick<Service, 'home'>) => join(home, 'data', 'run', 'api.sock');

/** Programs in terminals that ask the service which terminal they run in. */
export class AskingPrograms {
  readonly socket: string;
  readonly #api: Api;
  readonly folder: string;
  #count = 0;

  private constructor(service: Service, api: Api, folder: string) {
    this.socket = socketOf(service);
    this.#api = api;
    this.folder = folder;
  }

  static async create(service: Service, api: Api): Promise<AskingPrograms> {
    const folder = await mkdtemp(join(tmpdir(), 'at-asking-'));
    await writeFile(join(folder, 'ask.mjs'), ASKER);
    await writeFile(join(folder, 'leave.mjs'), LEAVER);
    return new AskingPrograms(service, api, folder);
  }

  /**
   * Starts a line of sh in a terminal of its own. In the line, `$ASK` is a command that asks, and `$LEAVE` a command
   * that ends and leaves the question to a child.
   */
  async start(line: string, env: Record<string, string> = {}) {
    const answerFile = join(this.folder, `answer-${++this.#count}`);
    const [ASK, LEAVE] = ['ask.mjs', 'leave.mjs'].map(
      (name) => `${process.execPath} ${join(this.folder, name)} ${this.socket} ${answerFile}`,
    );
    const { status, body } = await this.#api.post<{ id: string; pid: number }>('/api/terminals', {
      command: ['sh', '-c', line],
      env: { ...env, ASK, LEAVE },
    });
    if (status !== 200) throw new Error(`the terminal answered ${status}`);
    return { ...body, answer: () => this.#answerIn(answerFile) };
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #answerIn(file: string): Promise<Caller> {
    let text = '';
    await eventually(`${file} is there`, async () => {
      text = await readFile(file, 'utf8').catch(() => '');
      return text !== '';
    });
    return JSON.parse(text.slice(text.indexOf('{'))) as Caller;
  }
}
